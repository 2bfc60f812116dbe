/** Tests that pages use the sums of finished days and the entries of the others while sums are being made. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runOnShards, startTestStore, type TestStore } from '../../../../tests/clickhouse.ts';
import { localTable } from '../../../writer/schema/schema.ts';
import { createRunner } from '../../queryRunner.ts';
import { KnownProfiles } from '../profileCache.ts';
import type { SubjectDeps } from '../settledEntries.ts';
import { SubjectSums } from './subjectSums.ts';

const kind = { project: 'one', paths: { idPaths: ['player.id', 'victim.id'], namePaths: ['player.name'] } };
const days = 8;
const signal = new AbortController().signal;

let store: TestStore;
let deps: SubjectDeps;
let sums: SubjectSums;
before(async () => {
  store = await startTestStore();
  const [access] = store.shards;
  const runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
  deps = { runner, table: localTable, shards: store.shards };
  const directory = mkdtempSync(path.join(tmpdir(), 'tapedeck-sums-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  sums = new SubjectSums(deps, directory, { buildEntriesMax: 600 }); // a day at a time
  await insert({ first: 0, count: 4_000, minutes: 60 });
});
after(() => store[Symbol.asyncDispose]());

async function insert({ first, count, minutes }: { first: number; count: number; minutes: number }) {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata, arrivedAt)
      SELECT if(number % 17 = 0, 'two', 'one'), 'game', toDateTime64('2026-01-01 00:00:00', 6) + number % ${days} * 86400 + number, number,
        if(number % 5 = 0, 'error', 'info'), ['', 'shop', 'chat'][1 + number % 3], '', 'joined',
        if(number % 7 = 0, map('player.id', toString(number % 40), 'victim.id', toString((number + 1) % 40)),
          map('player.id', toString(number % 40), 'player.name', concat('Ä', toString(number % 3)))),
        now64(6) - INTERVAL ${minutes} MINUTE
      FROM numbers(${first}, ${count})`,
  );
}

async function ask(by: SubjectSums | null) {
  const asked = { ...kind, id: '7', valuesMax: 100, signal };
  const found = await new KnownProfiles(by).find(deps, asked);
  return found && { ...found, values: found.values.map(value => JSON.stringify(value)).sort() };
}

/** Runs a round and requires that every page meanwhile agrees with the entries. Returns the number of missing days at each page. */
async function goThroughRound(): Promise<number[]> {
  const expected = await ask(null);
  const missing: number[] = [];
  let isOver = false;
  const round = sums.keep([kind], signal).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const missingDays = sums.findPartial(kind)?.missingDays ?? [];
    if (missingDays.length > 0) {
      missing.push(missingDays.length);
      assert.deepEqual(await ask(sums), expected);
    } else await nextTurn();
  }
  await round;
  assert.deepEqual(await ask(sums), expected);
  assert.equal(sums.findPartial(kind)?.missingDays.length, 0);
  return missing;
}

test('pages during the first round use the days that are done', async () => {
  const missing = await goThroughRound();
  assert.ok(missing.length > 0, 'a page was asked while days were missing');
  assert.ok(Math.min(...missing) < days, 'some days were done');
});

test('reads only the affected days again after a deletion', async () => {
  await insert({ first: 4_000, count: 300, minutes: 0 });
  await runOnShards(
    store,
    `DELETE FROM ${localTable} WHERE toDate(timestamp) = '2026-01-03' AND identity % 3 = 0`,
  );
  const missing = await goThroughRound();
  assert.deepEqual(new Set(missing), new Set([1]));
});
