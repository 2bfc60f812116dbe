/** The store reports its backlog, and whether its engine runs. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '../../../tests/engines.ts';
import { storeMessages } from '../../../tests/rows.ts';
import { inspectServers } from './health.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-condition-'));
after(() => rm(directory, { recursive: true }));
const deadline = () => AbortSignal.timeout(60_000);

test('reports what the engine has not taken yet, until it has', async () => {
  await using store = await openStore(directory);
  const none = { entries: 0, bytes: 0, oldestAt: null };
  assert.deepEqual(await store.intake.readWaiting(), none);
  const { damaged, bytesMax } = await store.intake.inspectJournal();
  assert.ok(damaged === 0 && bytesMax !== null && bytesMax > 1e6);
  process.kill(store.engine.processId() ?? 0, 'SIGSTOP');
  try {
    const startedAt = Date.now();
    await storeMessages(store.intake, ['one', 'two']);
    await storeMessages(store.intake, ['three']);
    const { entries, bytes, oldestAt } = (await store.intake.readWaiting())!;
    assert.equal(entries, 3);
    assert.ok(bytes > 50, `${bytes}`);
    assert.ok(oldestAt !== null && oldestAt >= startedAt && oldestAt <= Date.now());
    assert.deepEqual(await inspectServers([store.engine]), [
      { isAnswering: false, version: null, memoryBytes: null },
    ]);
  } finally {
    process.kill(store.engine.processId() ?? 0, 'SIGCONT');
  }
  for (const signal = deadline(); (await store.intake.readWaiting())!.entries > 0; await wait(20))
    signal.throwIfAborted();
  assert.deepEqual(await store.intake.readWaiting(), none);
  const [server] = await inspectServers([store.engine]);
  assert.equal(server?.isAnswering, true);
  assert.match(server?.version ?? '', /^\d+\.\d+/);
  assert.ok(Number(server?.memoryBytes) > 0);
});
