/** SIGTERM while the log engine starts or restarts: the process ends with 0 and takes the engine with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '@tapedeck/domain/vocabulary';
import { findEngineProcess } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type BegunProcess, beginProcess, startProcess } from '../support/tapedeck.ts';

/** Freezes the starting engine, so that it never answers. */
async function holdEngine({ child }: BegunProcess, killed?: number): Promise<number> {
  for (;;) {
    const engine = await findEngineProcess(child.pid!);
    if (engine === null || engine === killed) {
      assert.equal(child.exitCode, null, 'it exited without a signal');
      await wait(5);
      continue;
    }
    process.kill(engine, 'SIGSTOP');
    return engine;
  }
}

async function assertEnds({ child, exit, lines }: BegunProcess, engine: number): Promise<void> {
  const startedAt = performance.now();
  child.kill('SIGTERM');
  const { exitCode, complained } = await exit;
  assert.deepEqual({ exitCode, complained }, { exitCode: 0, complained: '' });
  assert.ok(performance.now() - startedAt < limits.stopGraceMsMax);
  assert.deepEqual(
    lines.slice(-2).map(line => JSON.parse(line).msg),
    ['stopping', 'stopped'],
  );
  assert.throws(() => process.kill(engine, 0), 'the engine has exited');
}

test('the first start', async () => {
  await using directory = await makeDirectory();
  await using service = beginProcess({ TAPEDECK_DATA_DIR: directory.path });
  await assertEnds(service, await holdEngine(service));
});

test('another start after the engine died', async () => {
  await using directory = await makeDirectory();
  await using service = await startProcess({ TAPEDECK_DATA_DIR: directory.path });
  const first = await findEngineProcess(service.child.pid!);
  process.kill(first!, 'SIGKILL');
  await assertEnds(service, await holdEngine(service, first!));
});
