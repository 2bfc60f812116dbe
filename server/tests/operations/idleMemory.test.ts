/** An idle service and its engine give pages of their programs back, answer afterwards, and stop as usual. Waits for two looks of ten seconds. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { findEngineProcess } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const waitMsMax = 120_000; // a busy machine starts longer
const lookMs = 100;
const fileShareMax = 0.6; // of the pages after the start

async function readKilobytes(pid: number): Promise<number> {
  return Number(/^RssFile:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function waitForRelease(pid: number): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  let most = 0;
  for (;;) {
    const now = await readKilobytes(pid);
    most = Math.max(most, now);
    if (now < most * fileShareMax) return;
    assert.ok(performance.now() < deadline, `${now} of ${most} kB of files stay resident`);
    await wait(lookMs);
  }
}

test('an idle service', async () => {
  if (process.platform !== 'linux') return; // only Linux says which pages are clean
  await using directory = await makeDirectory();
  await using service = await startProcess({ TAPEDECK_DATA_DIR: directory.path });
  const { pid } = service.child;
  const engine = await findEngineProcess(pid!);
  await Promise.all([waitForRelease(pid!), waitForRelease(engine!)]);
  const answer = await fetch(`${service.url}/healthz`);
  assert.equal(answer.status, 200);
  service.child.kill('SIGTERM');
  const { exitCode, complained } = await service.exit;
  assert.deepEqual({ exitCode, complained }, { exitCode: 0, complained: '' });
});
