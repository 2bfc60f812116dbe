/** Slow or stalled clients: timeouts end what stands still, and nothing else. The tests shorten the timeouts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it, test } from 'node:test';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { openPasswords } from '@tapedeck/domain/identity/passwords';
import { limits } from '@tapedeck/domain/vocabulary';
import { compose, describeAnswer, type Part, talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';

const headersMsMax = 600;
const bodyIdleMsMax = 600;
const service = await startQuietService({
  passwords: openPasswords(),
  timeouts: { headersMsMax, bodyIdleMsMax },
});
after(() => service[Symbol.asyncDispose]());

const body = JSON.stringify({ email: 'nobody@example.org', password: 'wrong' });
const headers = { 'content-type': 'application/json', 'content-length': body.length };

test('the default limits are those of the contract', () => {
  assert.deepEqual([limits.headersTimeMsMax, limits.bodyIdleMsMax], [10_000, 30_000]);
});

describe('a stalled request gets 408, and its connection is closed', () => {
  const rows: [string, Part[]][] = [
    ['a connection without data', []],
    ['headers that stop', ['GET /healthz HTTP/1.1\r\nHost: x\r\n']],
    [
      'headers that never stop',
      [...'GET /healthz HTTP/1.1\r\nHost: x\r\n'].flatMap(character => [character, 30]),
    ],
    ['a second request whose headers stop', [compose('GET /healthz'), 50, 'GET /healthz HTTP/1.1\r\n']],
    ['a body without data', [compose('POST /api/manage/sign-in', headers)]],
    ['a body that stops', [compose('POST /api/manage/sign-in', headers, body.slice(0, -1))]],
    [
      'a chunked body that stops',
      [
        compose(
          'POST /api/manage/sign-in',
          { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
          '2\r\n{"',
        ),
      ],
    ],
    [
      'a body that does not follow 100 Continue',
      [compose('POST /api/manage/sign-in', { ...headers, Expect: '100-continue' })],
    ],
  ];
  for (const [name, parts] of rows) {
    it(name, async () => {
      const { answers, end, ms } = await talk(service.url, parts);
      assert.equal(describeAnswer(answers.at(-1)!), '408 request_timeout');
      assert.ok(answers.at(-1)!.headers['x-request-id']);
      assert.equal(end, 'closed');
      assert.ok(ms >= 500, `it had only ${Math.round(ms)} ms`);
    });
  }
});

test('rejects headers that never stop, whenever their next byte arrives', async () => {
  const parts = [...'GET /healthz HTTP/1.1\r\nHost: x\r\n'].flatMap(character => [character, 30]);
  const talks = await Promise.all(Array.from({ length: 24 }, () => talk(service.url, parts)));
  assert.deepEqual(new Set(talks.map(({ answers }) => answers.at(-1)?.status)), new Set([408]));
});

test('a client that reads only after sending still gets the rejection of a large body', async () => {
  const large = Buffer.alloc(9_000_000, ' ');
  const head = compose('POST /api/v3/logs', {
    Authorization: 'nobody',
    'Content-Type': 'application/json',
    'Content-Length': large.length,
  });
  for (let round = 0; round < 8; round += 1) {
    const { answers, end } = await talk(service.url, [head, large], { readsLast: true, answersMax: 1 });
    assert.equal(answers[0]?.status, 401);
    assert.notEqual(end, 'reset');
  }
});

test('a client that resets the connection on rejection harms nobody', async () => {
  for (const sent of ['', 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 'no HTTP at all\r\n\r\n']) {
    const socket = connect({ port: Number(new URL(service.url).port) });
    socket.write(sent);
    await once(socket, 'readable'); // the refusal, which the client leaves unread
    socket.resetAndDestroy();
  }
  assert.equal((await service.fetch('/healthz')).status, 200);
});

describe('serves anything that makes progress, however slow', () => {
  it('a body that arrives in pieces over several limits', async () => {
    // Short pauses: a busy machine prolongs each of them.
    const pieces = [...body].flatMap(character => [bodyIdleMsMax / 20, character]);
    const { answers, ms } = await talk(
      service.url,
      [compose('POST /api/manage/sign-in', headers), ...pieces],
      { answersMax: 1, timeMsMax: 60_000 },
    );
    assert.equal(describeAnswer(answers[0]!), '401 sign_in_failed');
    assert.ok(ms > 2 * bodyIdleMsMax);
  });

  it('an idle connection between requests', async () => {
    const { answers } = await talk(service.url, [compose('GET /healthz'), 1500, compose('GET /healthz')], {
      answersMax: 2,
    });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });

  it('a request that takes longer than the limit, and the next one on its connection', async () => {
    // The service checks passwords in sequence, so the last of these waits for all the others.
    const parts = [compose('POST /api/manage/sign-in', headers, body), compose('GET /healthz')];
    const crowd = [1, 2, 3, 4].map(() => talk(service.url, parts, { answersMax: 2, timeMsMax: 60_000 }));
    const talks = await Promise.all(crowd);
    for (const { answers } of talks) {
      assert.deepEqual(answers.map(describeAnswer), ['401 sign_in_failed', '200']);
    }
    const msMax = Math.max(...talks.map(({ ms }) => ms));
    assert.ok(msMax > bodyIdleMsMax, `the last one waited ${Math.round(msMax)} ms`);
  });
});

describe('answers a request that arrived while the process was busy for longer than the limit', () => {
  const [start, rest] = ['GET /healthz HT', 'TP/1.1\r\nHost: x\r\n\r\n'];
  for (const [name, first, last] of [
    ['as the first of its connection', '', start + rest],
    ['when its head had begun', start, rest],
  ] as const) {
    it(name, async () => {
      const socket = connect({ port: Number(new URL(service.url).port) }).setEncoding('latin1');
      await once(socket, 'connect');
      socket.write(first);
      for (let turns = 0; turns < 100; turns += 1) await oneTurn(); // the server has it and waits for more
      socket.write(last);
      const busyUntil = performance.now() + 2 * headersMsMax;
      while (performance.now() < busyUntil); // timers expire before the rest is read
      const [answer] = await once(socket, 'data');
      socket.destroy();
      assert.match(String(answer), /^HTTP\/1.1 200 /);
    });
  }
});

test('a thousand connections with unfinished headers do not block others', async () => {
  await using patient = await startQuietService({ timeouts: { headersMsMax: 120_000 } });
  const { hostname, port } = new URL(patient.url);
  const idle: Socket[] = [];
  try {
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
      idle.push(socket);
      await once(socket, 'connect');
      socket.write('POST /api/manage/sign-in HTTP/1.1\r\nHost: x\r\n');
    }
    for (let count = 0; count < 20; count += 1) assert.equal((await patient.fetch('/readyz')).status, 200);
    const ended = idle.filter(({ bytesRead, closed }) => bytesRead > 0 || closed);
    assert.equal(ended.length, 0, 'the requests were answered while all of these waited');
  } finally {
    for (const socket of idle) socket.destroy();
  }
});

test('the service keeps running, and has logged no failure', async () => {
  assert.equal((await service.fetch('/healthz')).status, 200);
  assert.deepEqual(service.logged, []);
});
