/** Tests that parts are synced. After a failed sync, a part counts as synced only once the engine has rewritten it. */
import assert from 'node:assert/strict';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeDirectory } from '../../../tests/directory.ts';
import { PartSync } from './partSync.ts';

/** Makes a part in the table directory, with a file that holds its name. */
async function makePart(table: string, name: string): Promise<void> {
  await mkdir(path.join(table, name), { recursive: true });
  await writeFile(path.join(table, name, 'skp_idx_words.idx'), name);
}

/** Counts the syncs of files. */
async function watchSyncs(t: TestContext, file: string) {
  await using handle = await open(file);
  const files = Object.getPrototypeOf(handle) as typeof handle; // the prototype that all handles share
  return t.mock.method(files, 'sync').mock;
}

const tableIn = (directory: string) => path.join(directory, 'data', 'store', 'abc', 'table');

test('syncs inserted and merged parts, whose text indexes the engine does not sync', async t => {
  await using place = await makeDirectory();
  const table = tableIn(place.path);
  for (const name of ['202601_1_1_0', '202601_2_3_1']) await makePart(table, name);
  const syncs = await watchSyncs(t, path.join(table, '202601_1_1_0', 'skp_idx_words.idx'));
  const parts = new PartSync(place.path);
  await parts.sync();
  assert.equal(syncs.callCount(), 2);
  await makePart(table, '202601_1_3_2');
  await parts.sync();
  assert.equal(syncs.callCount(), 3, 'nothing twice');
  await makePart(table, '202601_4_4_0');
  await new PartSync(place.path).syncMerged();
  assert.equal(syncs.callCount(), 4, 'before the engine starts only what it has merged');
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 300_000 });
  await new PartSync(place.path).sync();
  assert.equal(syncs.callCount(), 5, 'of what was merged long ago nothing');
});

test('a part whose sync failed blocks until the engine has merged it, even after a mutation', async t => {
  await using place = await makeDirectory();
  const table = tableIn(place.path);
  for (const name of ['202601_1_1_0', '202601_2_2_0']) await makePart(table, name);
  const syncs = await watchSyncs(t, path.join(table, '202601_1_1_0', 'skp_idx_words.idx'));
  syncs.mockImplementationOnce(() => Promise.reject(new Error('EIO: made by the test')));
  const parts = new PartSync(place.path);
  await assert.rejects(parts.sync(), /skp_idx_words.idx could not be synced/);
  await assert.rejects(parts.sync(), /202601_1_1_0 could not be synced/);
  await rename(path.join(table, '202601_1_1_0'), path.join(table, '202601_1_1_0_7')); // as a deletion does, keeping the files
  await assert.rejects(parts.sync(), /202601_1_1_0_7 could not be synced/);
  await makePart(table, '202601_1_2_1_7');
  await parts.sync();
  await rm(path.join(table, '202601_1_1_0_7'), { recursive: true });
  await makePart(table, '202601_3_3_0');
  await parts.sync();
});
