/** Tests that a process has its staging directory to itself, and removes what earlier processes left there. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openOwnStaging } from './staging.ts';

test('an upload in progress survives another start on its directory, even with the same pid', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'staging-'));
  try {
    using staging = await openOwnStaging(directory);
    await using file = staging.create();
    await file.append([Buffer.from('under way')]);
    // A process in another container can have the same number, as here.
    await assert.rejects(openOwnStaging(directory), { code: 'unavailable', message: /Another service/ });
    assert.equal(Buffer.concat(await Array.fromAsync(await file.stream())).toString(), 'under way');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('removes the leftovers of an earlier process at the next start', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'staging-'));
  try {
    {
      using earlier = await openOwnStaging(directory);
      await earlier.create().append([Buffer.from('left behind')]);
    }
    await mkdir(path.join(directory, 'strange'));
    await writeFile(path.join(directory, 'strange', 'file'), '');
    using _staging = await openOwnStaging(directory);
    assert.deepEqual((await readdir(directory)).sort(), ['files', 'lock']);
    assert.deepEqual(await readdir(path.join(directory, 'files')), []);
  } finally {
    await rm(directory, { recursive: true });
  }
});
