/** A journal keeps its name over restarts, each directory has another one, and a damaged name is an error with advice. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { makeDirectory } from '../../../tests/directory.ts';
import { localDisk } from './disk.ts';
import { keepNodeId } from './nodeId.ts';

test('a directory keeps its name, and two have different ones', async () => {
  await using one = await makeDirectory();
  await using other = await makeDirectory();
  const id = await keepNodeId(localDisk, one.path);
  assert.equal(await keepNodeId(localDisk, one.path), id);
  assert.notEqual(await keepNodeId(localDisk, other.path), id);
});

test('what a process left that died in the middle does no harm', async () => {
  await using directory = await makeDirectory();
  await writeFile(path.join(directory.path, 'node.draft'), 'half');
  const id = await keepNodeId(localDisk, directory.path);
  assert.equal(await keepNodeId(localDisk, directory.path), id);
});

test('a damaged file is never taken for a name', async () => {
  await using directory = await makeDirectory();
  await writeFile(path.join(directory.path, 'node'), '');
  await assert.rejects(keepNodeId(localDisk, directory.path), { code: 'unavailable', message: /is damaged/ });
});
