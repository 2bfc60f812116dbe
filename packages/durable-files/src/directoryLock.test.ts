/** Tests that one process holds a directory, and that a check disturbs no process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { isHeld, lockDirectory } from './directoryLock.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-lock-'));
after(() => rm(directory, { recursive: true }));

const starts = 50;
const looking = `
  import { isHeld } from '${path.join(import.meta.dirname, 'directoryLock.ts')}';
  process.stdout.write('looking');
  setInterval(() => isHeld(${JSON.stringify(directory)}), 2);
`;

test('only one process can hold the lock until it is released', () => {
  assert.equal(isHeld(directory), false);
  const lock = lockDirectory(directory);
  assert.equal(isHeld(directory), true);
  assert.throws(() => lockDirectory(directory), { code: 'unavailable' });
  lock[Symbol.dispose]();
  assert.equal(isHeld(directory), false);
});

test('a start succeeds while another process keeps checking the lock', async () => {
  const looker = spawn(process.execPath, ['--input-type=module', '--eval', looking], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(looker, 'exit');
  try {
    await once(looker.stdout, 'data');
    for (let start = 0; start < starts; start++) lockDirectory(directory)[Symbol.dispose]();
  } finally {
    looker.kill('SIGKILL');
    await ended;
  }
});
