/** Tests that cached sums of large subjects equal a read of all their entries, whatever arrives or is deleted meanwhile. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runOnShards, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { localTable } from '../../writer/schema/schema.ts';
import type { LogQueries } from '../logQueries.ts';
import { createLogQueries } from '../queries.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());

async function insert({ first, count, minutes }: { first: number; count: number; minutes: number }) {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata, arrivedAt)
      SELECT 'one', 'game', toDateTime64('2026-01-01 00:00:00', 6) + number * 77, number, if(number % 5 = 0, 'error', 'info'),
        concat('resource', toString(number % 4)), '', 'joined',
        map('player.id', '7', 'player.name', concat('Name ', toString(intDiv(number, 10000)))), now64(6) - INTERVAL ${minutes} MINUTE
      FROM numbers(${first}, ${count})`,
  );
}

function openQueries(): LogQueries {
  const flush = async () => {};
  return createLogQueries({
    shards: store.shards,
    clusterName: null,
    countInserted: null,
    memoryBytesMax: 400_000_000,
    flush,
    waitForWholeBatches: flush,
  });
}

const paths = { idPaths: ['player.id'], namePaths: ['player.name'] };

async function ask(queries: LogQueries) {
  return await queries.findProfile('one', { paths, id: '7', valuesMax: 100 }, new AbortController().signal);
}

test('caches a large subject and follows later changes', async () => {
  await insert({ first: 0, count: 30_000, minutes: 60 });
  const queries = openQueries();
  /** Requires the same result as after a start, with an empty cache. */
  const requireSame = async (entries: number, names: number) => {
    const found = await ask(queries);
    assert.deepEqual(found, await ask(openQueries()));
    assert.equal(found?.entries, entries);
    assert.equal(found?.values.length, 1 + names);
    assert.equal(
      found?.hours.reduce((sum, count) => sum + count),
      entries,
    );
  };
  for (let turn = 0; turn < 3; turn++) await requireSame(30_000, 3);
  await insert({ first: 30_000, count: 10, minutes: 0 });
  await requireSame(30_010, 4);
  await insert({ first: 40_000, count: 25_000, minutes: 0 });
  for (let turn = 0; turn < 3; turn++) await requireSame(55_010, 7);
  await runOnShards(store, `DELETE FROM ${localTable} WHERE identity < 10000`);
  for (let turn = 0; turn < 3; turn++) await requireSame(45_010, 6);

  // The set of entries stays the same, so they are not read again.
  const remembered = await ask(queries);
  await runOnShards(
    store,
    `ALTER TABLE ${localTable} UPDATE metadata = map('player.id', 'other') WHERE arrivedAt < now() - INTERVAL 30 MINUTE SETTINGS mutations_sync = 1`,
  );
  assert.deepEqual((await ask(queries))?.values.at(-1), remembered?.values.at(-1));
  assert.equal((await ask(openQueries()))?.entries, 25_010);
});
