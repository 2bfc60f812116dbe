/** The log engine dies under load: intake continues, queries fail openly or are complete, and the service soon recovers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  assertComplete,
  compareFound,
  findEngineProcess,
  startWriters,
  type WriterTarget,
} from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-fault-tests-00';
const pauseMsMax = 3_000; // CONTRACT.md, 4.5
const recoveryMsMax = 10_000; // CONTRACT.md, 4.5
const settledMsMax = 40_000; // until ten correct answers in a row, which take as long as the machine needs

type Outcome = { answer: string; retryAfter: string | null };

async function askTotal({ url }: WriterTarget): Promise<Outcome & { total: number }> {
  const response = await fetch(`${url}/api/v3/logs?limit=1&includeTotal=true`, {
    headers: { authorization: token },
  });
  // The contract's response or error.
  const body = (await response.json()) as { code?: string; pagination?: { total: number } };
  return {
    answer: `${response.status} ${body.code ?? 'ok'}`,
    retryAfter: response.headers.get('retry-after'),
    total: body.pagination?.total ?? -1,
  };
}

async function killEngine(servicePid: number): Promise<void> {
  const engine = await findEngineProcess(servicePid);
  assert.ok(engine !== null);
  process.kill(engine, 'SIGKILL');
}

test('an engine that is killed under load: intake returns 200, queries are complete or rejected', async () => {
  await using directory = await makeDirectory();
  await using service = await startProcess({
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_LOGS_TOKEN: token,
  });
  const target = { url: service.url, token };
  using writers = startWriters(target, { writers: 4, rowsMax: 30, pauseMs: 5 });
  for (let round = 0; round < 2; round++) {
    await killEngine(service.child.pid!);
    const killedAt = performance.now();
    let goodInARow = 0;
    let recoveredAt = killedAt;
    while (goodInARow < 10) {
      const acknowledged = sum(writers.written.acknowledged);
      const outcome = await askTotal(target);
      goodInARow = outcome.answer === '200 ok' ? goodInARow + 1 : 0;
      if (outcome.answer === '200 ok') {
        assert.ok(outcome.total >= acknowledged, `found ${outcome.total} of ${acknowledged} acknowledged`);
        if (goodInARow === 1) recoveredAt = performance.now();
      } else {
        assert.equal(outcome.answer, '503 engine_unavailable');
        assert.match(outcome.retryAfter ?? '', /^[1-9]\d*$/);
      }
      assert.ok(performance.now() - killedAt < settledMsMax, 'queries get responses');
      await wait(20);
    }
    assert.ok(recoveredAt - killedAt < recoveryMsMax, `queries recover, after ${recoveredAt - killedAt} ms`);
  }
  const { acknowledged, refusals, slowestMs } = await writers.stop();
  assert.deepEqual([...refusals], [], 'every batch was acknowledged');
  assert.ok(slowestMs < pauseMsMax, `one waited for ${slowestMs} ms`);
  assertComplete(await compareFound(target, acknowledged));
});

test('an unresponsive engine: intake continues, queries say when to retry', async () => {
  await using directory = await makeDirectory();
  await using service = await startProcess({
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_LOGS_TOKEN: token,
  });
  const target = { url: service.url, token };
  const engine = await findEngineProcess(service.child.pid!);
  process.kill(engine!, 'SIGSTOP');
  using writers = startWriters(target, { writers: 2, rowsMax: 30, pauseMs: 5 });
  while (writers.written.acknowledged.size < 10) await wait(10);
  const { answer, retryAfter } = await askTotal(target);
  assert.equal(answer, '503 engine_unavailable');
  assert.match(retryAfter ?? '', /^[1-9]\d*$/);
  const notReady = await fetch(`${service.url}/readyz?role=query`);
  assert.equal(notReady.status, 503);
  assert.match(await notReady.text(), /logs/);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  process.kill(engine!, 'SIGCONT');
  const { acknowledged, slowestMs } = await writers.stop();
  assert.ok(slowestMs < pauseMsMax, `one waited for ${slowestMs} ms`);
  assertComplete(await compareFound(target, acknowledged));
});

function sum(acknowledged: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const rows of acknowledged.values()) total += rows;
  return total;
}
