/** Tests that directories are made even if another process makes them too, and that a place that takes none fails instead of hanging. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makeDirectory } from './directories.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-directories-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

test('concurrent calls that create the same directory and parents all succeed', async () => {
  const directory = path.join(root, 'a/b/c/d');
  await Promise.all(Array.from({ length: 20 }, () => makeDirectory(directory, 0o700)));
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.equal((await stat(path.dirname(directory))).mode & 0o777, 0o700);
});

test('rejects at once a path that cannot hold directories', async () => {
  await assert.rejects(makeDirectory('/proc/tapedeck/data'), { code: 'ENOENT' });
});

test('rejects a path where a file is in the way', async () => {
  const file = path.join(root, 'file');
  await writeFile(file, '');
  await assert.rejects(makeDirectory(file), { code: 'EEXIST' });
  await assert.rejects(makeDirectory(path.join(file, 'below')), { code: 'ENOTDIR' });
});
