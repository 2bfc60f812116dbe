/** SIGTERM: nothing new is accepted, requests in flight get their response, and the process ends by itself with 0. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { signIn } from '@tapedeck/contract/accounts';
import { limits } from '@tapedeck/domain/vocabulary';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { makeDirectory, startQuietService } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

let attempts = 0;

/** Takes a while because of the password check. Uses a new account each time, so that it is not rate-limited. */
function composeSignIn(): { head: string; body: string } {
  attempts += 1;
  const body = JSON.stringify({ email: `nobody${attempts}@example.org`, password: 'wrong password' });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return { head: compose(`POST ${signIn.path}`, headers), body };
}

function talkLong(url: string, ...next: string[]): ReturnType<typeof talk> {
  const { head, body } = composeSignIn();
  return talk(url, [head + body, ...next], { timeMsMax: 15_000 });
}

test('finishes requests in flight, rejects new ones, and exits with 0', async () => {
  await using directory = await makeDirectory();
  for (const signals of [['SIGTERM'], ['SIGINT', 'SIGTERM', 'SIGTERM']] as const) {
    await using service = await startProcess({ TAPEDECK_DATA_DIR: directory.path });
    const idle = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(idle, 'connect');
    // The second waits for the first, so the signal arrives before its response.
    const inFlight = [1, 2].map(() => talkLong(service.url));
    await untilInFlight(service.url);
    const startedAt = performance.now();
    for (const signal of signals) service.child.kill(signal);
    const talks = (await Promise.all(inFlight)).toSorted((one, other) => one.ms - other.ms);
    for (const { answers, end } of talks) {
      assert.deepEqual(answers.map(describeAnswer), ['401 sign_in_failed']);
      assert.equal(end, 'closed');
    }
    assert.equal(talks[1]!.answers[0]!.headers.connection, 'close');
    const { exitCode, complained } = await service.exit;
    assert.deepEqual([exitCode, complained], [0, '']);
    assert.ok(
      performance.now() - startedAt < limits.stopGraceMsMax,
      'an idle connection does not delay the stop',
    );
    await assert.rejects(fetch(`${service.url}/healthz`), 'the port is closed');
    assert.deepEqual(
      service.lines.slice(-2).map(line => JSON.parse(line).msg),
      ['stopping', 'stopped'],
    );
    idle.destroy();
  }
});

test('an unresponsive file store does not delay the stop', async () => {
  await using directory = await makeDirectory();
  await using proxy = await startFaultyProxy('http://127.0.0.1:9');
  proxy.plan('GET', [], 'never answer');
  await using service = await startProcess({
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_S3_BUCKET: 'silent',
    TAPEDECK_S3_ENDPOINT: proxy.endpoint,
    TAPEDECK_S3_ACCESS_KEY_ID: 'key',
    TAPEDECK_S3_SECRET_ACCESS_KEY: 'secret',
    TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
  });
  for (let turn = 0; turn < 600 && proxy.inFlightMax() === 0; turn += 1) await wait(25);
  assert.ok(proxy.inFlightMax() > 0, 'the sweep lists the store');
  const startedAt = performance.now();
  service.child.kill('SIGTERM');
  const { exitCode } = await service.exit;
  assert.equal(exitCode, 0);
  assert.ok(performance.now() - startedAt < limits.stopGraceMsMax);
});

test('closes keep-alive connections when they are idle', async () => {
  const service = await startQuietService();
  const agent = new Agent({ keepAlive: true });
  const get = async () => {
    const [response] = await once(request(`${service.url}/healthz`, { agent }).end(), 'response');
    response.resume();
    await once(response, 'end');
    return response.headers.connection;
  };
  assert.equal(await get(), 'keep-alive');
  const startedAt = performance.now();
  await service[Symbol.asyncDispose]();
  assert.ok(performance.now() - startedAt < 5_000);
  agent.destroy();
});

test('answers all received requests of a connection before closing it', async () => {
  const service = await startQuietService();
  const slow = talkLong(service.url);
  const next = talkLong(service.url, compose('GET /healthz'));
  await untilInFlight(service.url);
  const stopped = service[Symbol.asyncDispose]();
  assert.deepEqual((await slow).answers.map(describeAnswer), ['401 sign_in_failed']);
  const { answers, end } = await next;
  assert.deepEqual(answers.map(describeAnswer), ['401 sign_in_failed', '200']);
  assert.equal(end, 'closed');
  await stopped;
});

test('cuts off requests that do not finish within the grace period', async () => {
  const service = await startQuietService({ timeouts: { stopGraceMsMax: 300 } });
  const stuck = talk(service.url, [composeSignIn().head]);
  await untilInFlight(service.url);
  const startedAt = performance.now();
  await service[Symbol.asyncDispose]();
  const ms = performance.now() - startedAt;
  assert.ok(ms >= 250 && ms < 5_000, `it took ${Math.round(ms)} ms`);
  assert.notEqual((await stuck).end, 'open');
});

test('the grace period is ten seconds', () => {
  assert.equal(limits.stopGraceMsMax, 10_000);
});

/** When this one is answered, the service has received every request sent before it. */
async function untilInFlight(url: string): Promise<void> {
  for (let count = 0; count < 3; count += 1) await (await fetch(`${url}/healthz`)).arrayBuffer();
}
