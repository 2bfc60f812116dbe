/** Queries find a batch wholly or not at all, even if they waited while its parts became visible. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type OpenedStore, openStore } from '../../tests/engines.ts';
import { storeMessages } from '../../tests/rows.ts';
import { matchAll } from '../queries/entries.ts';
import { createLogQueries } from '../queries/queries.ts';

const days = 200; // an insert has as many parts
const batches = 3;
const askers = 12; // more than are let in at a time
const dayMicros = 86_400_000_000;
const flushTimeMs = 30_000;
const target = { project: 'arena', dataset: 'game', retentionDays: 366 }; // partitions of a week

let directory = '';
let store: OpenedStore;

before(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-whole-'));
  store = await openStore(directory);
});

after(async () => {
  await store[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function storeSpread(batch: number): Promise<string[]> {
  const nowMicros = Date.now() * 1000;
  const ages = Array.from({ length: days }, (_, age) => age);
  return storeMessages(
    store.intake,
    ages.map(age => `batch ${batch}, day ${age}`),
    { target, timestampsMicros: ages.map(age => nowMicros - age * dayMicros) },
  );
}

test('counts only whole batches while batches of several days arrive', async () => {
  const queries = createLogQueries({
    shards: [store.engine],
    clusterName: null,
    countInserted: null,
    memoryBytesMax: 400_000_000,
    flush: async () => {}, // as if all queries had come before the batches
    waitForWholeBatches: store.intake.waitForWholeBatches,
  });
  const seen = new Set<number>();
  let isDone = false;
  const keepAsking = async (asker: number) => {
    for (let turn = 0; !isDone; turn++) {
      // No two queries are the same, so that none is answered from a cache.
      const filter = {
        ...matchAll({ project: 'arena', datasets: ['game'] }),
        fromMicros: asker + turn * askers,
      };
      seen.add(await queries.countEntries(filter, new AbortController().signal));
    }
  };
  const asking = Array.from({ length: askers }, (_, asker) => keepAsking(asker));
  for (let batch = 0; batch < batches; batch++) {
    await storeSpread(batch);
    await store.intake.flush(flushTimeMs);
  }
  isDone = true;
  await Promise.all(asking);
  assert.deepEqual(
    [...seen].filter(count => count % days !== 0),
    [],
  );
  assert.ok(seen.size > 1, 'the batches came while questions were asked');
});
