/** A journal keeps its name over restarts, each directory has another one, and a damaged name is an error with advice. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { makeDirectory } from '../../../tests/directory.ts';
import { localDisk } from './disk.ts';
import { keepNodeId } from './nodeId.ts';

test('a directory keeps its id, and two directories have different ids', async () => {
  await using one = await makeDirectory();
  await using other = await makeDirectory();
  const id = await keepNodeId(localDisk, one.path);
  assert.equal(await keepNodeId(localDisk, one.path), id);
  assert.notEqual(await keepNodeId(localDisk, other.path), id);
});

test('ignores a draft that a killed process left', async () => {
  await using directory = await makeDirectory();
  await writeFile(path.join(directory.path, 'node.draft'), 'half');
  const id = await keepNodeId(localDisk, directory.path);
  assert.equal(await keepNodeId(localDisk, directory.path), id);
});

test('rejects a damaged id file', async () => {
  await using directory = await makeDirectory();
  await writeFile(path.join(directory.path, 'node'), '');
  await assert.rejects(keepNodeId(localDisk, directory.path), { code: 'unavailable', message: /is damaged/ });
});
