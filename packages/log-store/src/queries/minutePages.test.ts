/** Tests that pages found by minutes of sums equal pages found by indexes, whatever arrives or is deleted meanwhile. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { LogFilter, LogPage } from '@tapedeck/log-entries';
import { everything, parseQuery } from '@tapedeck/log-query-language';
import { runOnShards, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { localTable } from '../writer/schema/schema.ts';
import { type EntryDeps, findEntries, openEntryDeps } from './entries.ts';
import { PartSpans } from './pageGuesses.ts';
import { listParts } from './parts.ts';
import { createRunner, type Runner } from './queryRunner.ts';
import { SubjectSums } from './subjects/sums/subjectSums.ts';
import { SummedMinutes } from './subjects/sums/summedMinutes.ts';
import { sumTable } from './subjects/sums/sumTable.ts';

let store: TestStore;
let directory: string;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'tapedeck-minutes-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
  await runOnShards(store, `DROP TABLE IF EXISTS ${sumTable}`);
  await insert({ first: 0, count: 2_100, minutes: 60 });
});

const kind = {
  project: 'one',
  paths: { idPaths: ['player.id', 'victim.id'], namePaths: ['player.name'] },
};
const signal = new AbortController().signal;
const startMicros = Date.UTC(2026, 0, 1) * 1000;
const hourMicros = 3_600_000_000;

/** Inserts entries of forty players over eight days. Every 7th names two players, and entry 2,000 is the only one of its player. */
async function insert({ first, count, minutes }: { first: number; count: number; minutes: number }) {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata, arrivedAt)
      SELECT if(number % 17 = 0, 'two', 'one'), ['chat', 'game'][1 + number % 2],
        toDateTime64('2026-01-01 00:00:00', 6) + (number * 7919) % 691200, number,
        ['debug', 'info', 'warn', 'error'][1 + intDiv(number, 3) % 4], ['', 'shop', 'chat'][1 + intDiv(number, 5) % 3], '',
        ['joined', 'joined the chat', 'error: Äpfel 42 sold'][1 + intDiv(number, 2) % 3],
        multiIf(number = 2000, map('player.id', 'alone'),
          number % 7 = 0, map('player.id', toString(number % 40), 'victim.id', toString((number + 1) % 40)),
          map('player.id', toString(number % 40), 'player.name', concat('Ä', toString(number % 3)))),
        now64(6) - INTERVAL ${minutes} MINUTE
      FROM numbers(${first}, ${count})`,
  );
}

function openRunner(): Runner {
  return createRunner({
    access: store.shards[0],
    memoryBytesMax: 400_000_000,
    waitForWholeBatches: async () => {},
  });
}

function open(sums: SubjectSums | null): EntryDeps {
  const runner = openRunner();
  return openEntryDeps({
    runner,
    table: localTable,
    spans: new PartSpans(() => listParts(runner, store.shards[0], signal)),
    words: null,
    minutes: sums && new SummedMinutes(sums),
    windowEntries: 10, // too few to fill a page
    slicedEntries: 500,
    sliceEntries: 1_000,
  });
}

async function makeSums(): Promise<SubjectSums> {
  const sums = new SubjectSums({ runner: openRunner(), table: localTable, shards: store.shards }, directory);
  await sums.keep([kind], signal);
  return sums;
}

type Question = { text: string; datasets?: string[]; fromHour?: number; toHour?: number };

const questions: readonly Question[] = [
  { text: 'player.id:"7"' },
  { text: '(player.id:"7" OR victim.id:"7")' },
  { text: '(player.id:"7" OR victim.id:"7") resource:shop' },
  { text: 'player.id:(7, 8, 21) resource:(shop, chat) level:(warn, error)' },
  { text: 'player.id:7 -resource:shop' },
  { text: 'player.id:7 resource:*ho*' },
  { text: 'player.id:7 resource:-' },
  { text: 'player.id:7 level:error player.name:*1*' },
  { text: 'player.id:7 (level:error OR resource:chat)' },
  { text: 'player.id:7 victim.id:8' },
  { text: 'player.id:7 chat' },
  { text: '(player.id:"7" OR victim.id:"7") chat resource:shop' },
  { text: 'player.id:(7, 8, 21) äpfel -chat level:error' },
  { text: 'player.id:7 (chat OR level:error)' },
  { text: 'player.id:7 -(chat OR *joi*)' },
  { text: 'player.id:7 "apfel" OR player.id:7 42' },
  { text: 'player.id:7 body:*chat*' },
  { text: 'player.id:7 chat 42 joined' },
  { text: 'player.id:7 OR level:error' },
  { text: '-player.id:7 victim.id:9' },
  { text: 'player.id:"nobody"' },
  { text: 'victim.id:9', datasets: ['game'] },
  { text: 'player.id:7', fromHour: 30, toHour: 90 },
  { text: 'player.id:7 resource:shop', fromHour: 100.25 },
  { text: 'player.id:alone' },
];

function makeFilter({ text, datasets, fromHour, toHour }: Question): LogFilter {
  const at = (hour: number | undefined) => (hour === undefined ? null : startMicros + hour * hourMicros);
  return {
    project: 'one',
    datasets: datasets ?? null,
    fromMicros: at(fromHour),
    toMicros: at(toHour),
    condition: parseQuery(text) ?? everything,
  };
}

/** Reads all pages of a query, one after the other. */
async function readPages(deps: EntryDeps, filter: LogFilter, page: Pick<LogPage, 'order' | 'limit'>) {
  const pages: string[][] = [];
  for (let after: string | null = null; ; ) {
    const { entries, hasMore } = await findEntries(deps, filter, { ...page, after, offset: 0, signal });
    pages.push(entries.map(({ traceId }) => traceId));
    after = entries.at(-1)?.traceId ?? null;
    if (!hasMore || pages.length > 100) return pages;
  }
}

async function requireSame(sums: SubjectSums, asked: readonly Question[]): Promise<void> {
  const [led, indexed] = [open(sums), open(null)];
  for (const question of asked)
    for (const page of [{ order: 'desc', limit: 50 } as const, { order: 'asc', limit: 500 } as const]) {
      const filter = makeFilter(question);
      const title = `${JSON.stringify(question)} ${page.order}`;
      assert.deepEqual(await readPages(led, filter, page), await readPages(indexed, filter, page), title);
    }
}

test('pages are the same with and without minutes', async () => {
  await requireSame(await makeSums(), questions);
});

test('pages show later entries, even with old times, and no deleted ones', async () => {
  const sums = await makeSums();
  await insert({ first: 2_100, count: 400, minutes: 0 });
  await requireSame(sums, questions.slice(1, 4));
  await runOnShards(store, `DELETE FROM ${localTable} WHERE identity % 3 = 0`);
  await requireSame(sums, questions.slice(1, 4));
});

test('pages show entries that arrived after the clock was set back', async () => {
  const sums = await makeSums();
  await insert({ first: 2_100, count: 400, minutes: 30 });
  await requireSame(sums, questions.slice(0, 4));
  await sums.keep([kind], signal);
  await requireSame(sums, questions.slice(0, 4));
});

test('does not read blocks of other minutes', async () => {
  const sums = await makeSums();
  const filter = makeFilter({ text: 'player.id:"alone"' });
  await runOnShards(
    store,
    `ALTER TABLE ${localTable} UPDATE metadata = map('player.id', 'alone') WHERE 1 SETTINGS mutations_sync = 1`,
  );
  const pages = await readPages(open(sums), filter, { order: 'desc', limit: 1_000 });
  assert.ok(pages.flat().length >= 1 && pages.flat().length <= 256, `${pages.flat().length} entries`);
});

test('leaves ids with too many entries and other queries to the indexes', async () => {
  const minutes = new SummedMinutes(await makeSums());
  const found = async (text: string) => (await minutes.find(makeFilter({ text }), signal)) !== null;
  assert.deepEqual(
    [await found('player.id:7'), await found('player.name:7'), await found('player.id:7 OR level:error')],
    [true, false, false],
  );
  await runOnShards(
    store,
    `INSERT INTO ${sumTable} SELECT * REPLACE (50001 AS entries) FROM ${sumTable} WHERE id = '8'`,
  );
  assert.deepEqual([await found('player.id:8'), await found('player.id:7')], [false, true]);
});
