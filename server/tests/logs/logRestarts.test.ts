/** The service ends under load in various ways: what it acknowledged is there afterwards, and so are its keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import {
  assertComplete,
  compareFound,
  findEngineProcess,
  readBodies,
  startWriters,
} from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { runProcess, type ServiceProcess, startProcess } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-fault-tests-00';

test('acknowledged entries survive SIGTERM and kills under load, once and whole', async () => {
  await using directory = await makeDirectory();
  const environment = { TAPEDECK_DATA_DIR: directory.path, TAPEDECK_LOGS_TOKEN: token };
  const target = { url: 'http://127.0.0.1:9', token };
  using writers = startWriters(target, { writers: 4, rowsMax: 30, pauseMs: 5 });
  for (const end of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    await using service = await startProcess(environment);
    target.url = service.url;
    const before = writers.written.acknowledged.size;
    while (writers.written.acknowledged.size < before + 100) await wait(10);
    const engine = await findEngineProcess(service.child.pid!);
    service.child.kill(end);
    if (end === 'SIGKILL' && engine !== null) process.kill(engine, 'SIGKILL');
    const { exitCode } = await service.exit;
    if (end === 'SIGTERM') assert.equal(exitCode, 0);
  }
  await using service = await startProcess(environment);
  target.url = service.url;
  const before = writers.written.acknowledged.size;
  while (writers.written.acknowledged.size < before + 10) await wait(10);
  const { acknowledged } = await writers.stop();
  assertComplete(await compareFound(target, acknowledged));
});

test('a second service on the same directory exits at once with a reason; the first continues', async () => {
  await using directory = await makeDirectory();
  const environment = { TAPEDECK_DATA_DIR: directory.path, TAPEDECK_PORT: '0', TAPEDECK_LOGS_TOKEN: token };
  await using service = await startProcess(environment);
  const startedAt = performance.now();
  const { exitCode, complained } = await runProcess(['serve'], { environment });
  assert.equal(exitCode, 1);
  assert.match(complained, /^Another service uses the directory .*TAPEDECK_DATA_DIR\.\n$/);
  assert.ok(performance.now() - startedAt < 10_000);
  assert.equal(await postWithKey(service, 'first', entries('still here')), '200');
});

const entries = (message: string) => [{ level: 'info', message }];

async function postWithKey(service: ServiceProcess, key: string, items: unknown): Promise<string> {
  const response = await fetch(`${service.url}/api/v3/logs`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(items),
  });
  return summariseAnswer(response);
}

test('Idempotency-Keys survive restarts, graceful and hard', async () => {
  await using directory = await makeDirectory();
  const environment = { TAPEDECK_DATA_DIR: directory.path, TAPEDECK_LOGS_TOKEN: token };
  for (const end of ['SIGTERM', 'SIGKILL', null] as const) {
    await using service = await startProcess(environment);
    const post = (key: string, items: unknown) => postWithKey(service, key, items);
    assert.equal(await post('one', entries('first')), '200');
    assert.equal(await post('one', entries('second')), '422 idempotency_key_reused');
    assert.equal(await post(`refused${end}`, [{ level: 'none' }]), '400 invalid_field');
    assert.equal(await post(`refused${end}`, entries(`mended ${end}`)), '200');
    const repeats = Array.from({ length: 10 }, () => post(`crowd${end}`, entries(`crowd ${end}`)));
    assert.deepEqual(new Set(await Promise.all(repeats)), new Set(['200']));
    if (end !== null) {
      service.child.kill(end);
      await service.exit;
      continue;
    }
    const response = await fetch(`${service.url}/api/v3/logs/export?order=asc`, {
      headers: { authorization: token },
    });
    const bodies = await Array.fromAsync(readBodies(response));
    const expected = ['SIGTERM', 'SIGKILL', 'null'].flatMap(word => [`mended ${word}`, `crowd ${word}`]);
    assert.deepEqual(bodies, ['first', ...expected]);
  }
});
