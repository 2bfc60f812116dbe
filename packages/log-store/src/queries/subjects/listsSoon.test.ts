/** Tests lists of subjects for callers that do not wait: cached or quick lists come at once, others some time later. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { SubjectList } from '@tapedeck/log-entries';
import { runOnShards, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { createRunner } from '../queryRunner.ts';
import type { SubjectDeps } from './settledEntries.ts';
import { SubjectLists } from './subjectLists.ts';
import { SubjectSums } from './sums/subjectSums.ts';

const entriesCount = 400;
const paths = { idPaths: ['player.id'], namePaths: ['player.name'] };
const signal = new AbortController().signal;
const [few, many] = [{ soonEntriesMax: entriesCount }, { soonEntriesMax: entriesCount - 1 }];

let store: TestStore;
let deps: SubjectDeps;
before(async () => {
  store = await startTestStore();
  const [access] = store.shards;
  const runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
  deps = { runner, table: localTable, shards: store.shards };
});
after(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
  await insert(0, entriesCount);
});

async function insert(first: number, count: number): Promise<void> {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata, arrivedAt)
      SELECT 'one', 'game', toDateTime64('2026-01-01 00:00:00', 6) + number, number, 'info', '', '', 'joined',
        map('player.id', toString(number % 40), 'player.name', concat('Name ', toString(number % 40))), now64(6) - INTERVAL 1 HOUR
      FROM numbers(${first}, ${count})`,
  );
}

function countListed(lists: readonly SubjectList[] | null): number | null {
  if (lists === null) return null;
  return lists.flatMap(list => [...list.values()]).reduce((sum, { count }) => sum + count, 0);
}

const soon = async (lists: SubjectLists) => countListed(await lists.listSoon('one', paths, signal));
const listed = async (lists: SubjectLists) => countListed(await lists.list('one', paths, signal));

test('reads few entries at once', async () => {
  const lists = new SubjectLists(deps, { keptIn: null, sums: null, ...few });
  assert.equal(await soon(lists), entriesCount);
});

test('the first query for many entries starts reading the list, and later ones find it', async () => {
  const lists = new SubjectLists(deps, { keptIn: null, sums: null, ...many });
  assert.equal(await soon(lists), null);
  assert.equal(await listed(lists), entriesCount); // waits for the list that is being read
  assert.equal(await soon(lists), entriesCount);
});

test('reads the list again in the background once entries are deleted', async () => {
  const lists = new SubjectLists(deps, { keptIn: null, sums: null, soonEntriesMax: 100 });
  assert.equal(await listed(lists), entriesCount);
  await runOnShards(store, `DELETE FROM ${localTable} WHERE identity % 40 = 7`);
  assert.equal(await soon(lists), null);
  assert.equal(await listed(lists), entriesCount - 10);
  assert.equal(await soon(lists), entriesCount - 10);
});

test('starts no reading of the list before the sums are complete', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'tapedeck-sums-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const sums = new SubjectSums(deps, directory);
  const lists = new SubjectLists(deps, { keptIn: null, sums, ...many });
  for (let turn = 0; turn < 3; turn++) assert.equal(await soon(lists), null);
  await sums.keep([{ project: 'one', paths }], signal);
  assert.equal(await soon(lists), entriesCount);
});
