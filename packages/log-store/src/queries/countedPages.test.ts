/** Tests that a page and its total are exact, and that few matches take two statements. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { composeTraceId, type LogOrder } from '@tapedeck/log-entries';
import { insertEntries, runOnShards, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { localTable } from '../writer/schema/schema.ts';
import { findCountedEntries } from './countedPages.ts';
import { countEntries } from './counts.ts';
import { type EntryDeps, findEntries, matchAll, openEntryDeps } from './entries.ts';
import { PartSpans } from './pageGuesses.ts';
import { listParts } from './parts.ts';
import { PartWords } from './partWords.ts';
import { createRunner } from './queryRunner.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const entries = 3_000;
const rareEach = 100; // one of a hundred is rare, and every third rare one is in another dataset
const signal = new AbortController().signal;

let store: TestStore;
let deps: EntryDeps;
let statements = 0;
/** Runs before a statement is sent, given its number since the start of a question. */
let intervene: (statement: number) => Promise<void> = async () => {};

before(async () => {
  store = await startTestStore();
  const body = (number: number) =>
    `${number % 2 === 0 ? 'even' : 'odd'} number${number % rareEach === 0 ? ' zeppelin' : ''}`;
  await insertEntries(
    store,
    Array.from({ length: entries }, (_, number) => {
      const timestampMicros = startMicros + Math.floor(number / 3) * 1_000_000; // three at the same time
      const traceId = composeTraceId(timestampMicros, `8${number.toString(16).padStart(15, '0')}`);
      const dataset = number % rareEach === 0 && number % 3 === 0 ? 'chat' : 'game';
      const about = { parentId: '', dataset, level: 'info', resource: 'test', metadata: {} } as const;
      return { project: 'one', entry: { traceId, timestampMicros, ...about, body: body(number) } };
    }),
  );
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const runner = createRunner({
    access: store.shards[0],
    memoryBytesMax: 400_000_000,
    waitForWholeBatches: () => intervene(++statements),
  });
  deps = openEntryDeps({
    runner,
    table: localTable,
    spans: new PartSpans(() => listParts(runner, store.shards[0], signal)),
    words: new PartWords(runner, store.shards[0]),
    minutes: null,
    windowEntries: 10, // promises no page
    slicedEntries: 100_000,
    sliceEntries: 1_000,
  });
});
after(() => store[Symbol.asyncDispose]());

const ask = (query: string, datasets: string[] | null = null) => ({
  ...matchAll({ project: 'one', datasets }),
  condition: asks(query),
});

async function findBoth(filter: ReturnType<typeof ask>, page: Parameters<typeof findEntries>[2]) {
  const [found, total] = [await findEntries(deps, filter, page), await countEntries(deps, filter, signal)];
  return { ...found, total };
}

const middle = composeTraceId(startMicros + 500 * 1_000_000, '8000000000000000');
const pages = [
  { limit: 1, offset: 0, after: null },
  { limit: 7, offset: 4, after: null },
  { limit: 50, offset: 0, after: null },
  { limit: 5, offset: 29, after: null },
  { limit: 5, offset: 100, after: null },
  { limit: 5, offset: 0, after: middle },
] as const;

describe('equals the page and the count by themselves', () => {
  const rows: [string, string[] | null, number][] = [
    ['zeppelin', null, 30],
    ['zeppelin', ['chat'], 10],
    ['zeppelin', ['game', 'chat'], 30],
    ['zeppelin', [], 0],
    ['zeppelin even', null, 30],
    ['zeppelin odd', null, 0],
    ['blimp', null, 0],
    ['odd', null, 1_500], // more than one statement lists
  ];
  for (const [query, datasets, total] of rows) {
    it(`${query} in ${datasets?.join() ?? 'all datasets'}`, async () => {
      for (const order of ['asc', 'desc'] satisfies LogOrder[]) {
        for (const page of pages) {
          const request = { ...page, order, signal };
          const found = await findCountedEntries(deps, ask(query, datasets), request);
          assert.deepEqual(found, await findBoth(ask(query, datasets), request));
          assert.equal(found.total, total);
        }
      }
    });
  }
});

it('few matches take two statements, no matches one', async () => {
  const statementsOf = async (query: string) => {
    statements = 0;
    await findCountedEntries(deps, ask(query), { ...pages[2], order: 'desc', signal });
    return statements;
  };
  await statementsOf('zeppelin'); // lists the parts
  assert.equal(await statementsOf('zeppelin'), 2);
  assert.equal(await statementsOf('zeppelin odd'), 1);
});

it('counts again if entries are deleted between the statements', async () => {
  statements = 0;
  intervene = async statement => {
    if (statement === 2)
      await runOnShards(store, `DELETE FROM ${localTable} WHERE body LIKE '%zeppelin%' AND dataset = 'chat'`);
  };
  const request = { ...pages[2], order: 'desc', signal } as const;
  const found = await findCountedEntries(deps, ask('zeppelin'), request);
  intervene = async () => {};
  assert.ok(statements > 2);
  assert.equal(found.total, 20);
  assert.deepEqual(found, await findBoth(ask('zeppelin'), request));
});
