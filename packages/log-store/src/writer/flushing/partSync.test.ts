/** Parts whose sync failed once: what the system may have dropped counts as synced only after the engine has written it anew. */
import assert from 'node:assert/strict';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { makeDirectory } from '../../../tests/directory.ts';
import { PartSync } from './partSync.ts';

test('a part whose sync failed stands in the way until the engine has merged it, whatever else is made of it', async t => {
  await using place = await makeDirectory();
  const table = path.join(place.path, 'data', 'store', 'abc', 'table');
  const makePart = async (name: string) => {
    await mkdir(path.join(table, name), { recursive: true });
    await writeFile(path.join(table, name, 'data.bin'), name);
  };
  for (const name of ['202601_1_1_0', '202601_2_2_0']) await makePart(name);
  await using handle = await open(path.join(table, '202601_1_1_0', 'data.bin'));
  const files = Object.getPrototypeOf(handle) as typeof handle; // what all handles share
  const sync = t.mock.method(files, 'sync');
  sync.mock.mockImplementationOnce(() => Promise.reject(new Error('EIO: made by the test')));
  const parts = new PartSync(place.path);
  await assert.rejects(parts.sync(), /EIO/);
  await assert.rejects(parts.sync(), /202601_1_1_0 could not be synced/);
  await rename(path.join(table, '202601_1_1_0'), path.join(table, '202601_1_1_0_7')); // as a deletion does, with the same files
  await assert.rejects(parts.sync(), /202601_1_1_0_7 could not be synced/);
  await makePart('202601_1_2_1_7');
  await parts.sync();
  await rm(path.join(table, '202601_1_1_0_7'), { recursive: true });
  await makePart('202601_3_3_0');
  await parts.sync();
});
