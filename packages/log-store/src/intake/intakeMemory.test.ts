/** Even the smallest machines store every batch that they acknowledge, of any shape, and refuse all others. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { countMessages, type OpenedStore, openIntake, openStore } from '../../tests/engines.ts';
import { storeMessages } from '../../tests/rows.ts';
import type { LogStoreFailure } from '../failures.ts';
import { divideMemory } from '../writer/engine/memory.ts';
import { queryRows, runCommand } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import type { LogIntake } from './logIntake.ts';

const smallMachineBytes = 1_000_000_000;
const monthMicros = 2_630_000_000_000;
const flushTimeMs = 60_000;

let directory = '';
let store: OpenedStore;

before(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-intake-'));
  store = await openStore(directory, { memoryBytesMax: divideMemory(smallMachineBytes).bytesMax });
});

after(async () => {
  await store[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test('stores a batch with entries of every month since 1970', async () => {
  const months = Array.from({ length: 660 }, (_, index) => index);
  const nowMicros = Date.now() * 1000;
  const timestampsMicros = months.map(month => nowMicros - month * monthMicros);
  await storeMessages(
    store.intake,
    months.map(month => `month ${month}`),
    { timestampsMicros },
  );
  await store.intake.flush(flushTimeMs);
  assert.equal((await countMessages(store.engine)).size, months.length);
});

let identity = 0;

/** Stores one batch of entries of a megabyte each. */
async function storeLarge(megabytes: number, intake: LogIntake = store.intake): Promise<void> {
  const batch = intake.openBatch(
    { project: 'arena', dataset: 'large', retentionDays: null },
    { isKeyed: false },
  );
  const value = 'x'.repeat(16_000);
  for (let index = 0; index < megabytes; index++) {
    for (let leaf = 0; leaf < 64; leaf++) batch.addLeaf(`leaf${leaf}`, value);
    batch.add({
      timestampMicros: Date.now() * 1000,
      identityHigh: 0,
      identityLow: identity++,
      level: 'info',
      message: `large ${megabytes}`,
      resource: '',
      parentId: '',
    });
  }
  await batch.commit(null);
}

test('stores batches of the largest allowed size repeatedly', async () => {
  for (let round = 0; round < 3; round++) await storeLarge(30);
  await store.intake.flush(flushTimeMs);
  assert.equal((await countMessages(store.engine)).get('large 30'), 90);
});

test('refuses a larger batch and leaves nothing of it', async () => {
  await assert.rejects(storeLarge(40), (error: LogStoreFailure) => error.code === 'body_too_large');
});

test('sends a batch in smaller pieces when the engine lacks memory for the whole', async () => {
  // Limits memory to the share of one query there: enough for a few megabytes, not for twenty.
  const access = {
    ...store.engine,
    endpoint: () => {
      const endpoint = store.engine.endpoint();
      return endpoint && { ...endpoint, url: `${endpoint.url}?max_memory_usage=48000000` };
    },
  };
  await using intake = await openIntake(path.join(directory, 'second journal'), access);
  await runCommand(store.engine, `SYSTEM STOP MERGES ${localTable}`);
  for (let batch = 0; batch < 20; batch++) await storeLarge(1, intake);
  await intake.flush(flushTimeMs);
  assert.equal((await countMessages(store.engine)).get('large 1'), 20);
  const sql = `SELECT uniqExact(_part) FROM ${localTable} WHERE body = 'large 1'`;
  const [[parts] = []] = await queryRows(store.engine, { sql });
  assert.ok(Number(parts) >= 4, `they came in ${parts} pieces`);
});
