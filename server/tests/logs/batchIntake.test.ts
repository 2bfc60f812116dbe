/** Batches on the fast path, before Node.js's server: stored, answered and refused as the route does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { sendEveryWay, sendPlainly } from '../support/intakeMethods.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const mediaToken = 'a-media-token-of-thirty-two-char';
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_MEDIA_TOKEN: mediaToken },
});
after(() => service[Symbol.asyncDispose]());

const path = '/api/v3/logs';
const item = { level: 'info', message: 'héllo', metadata: { a: { b: 1 } } };
const usual = { authorization: token, 'content-type': 'application/json' };

async function countEntries(dataset: string): Promise<unknown> {
  const headers = { authorization: token };
  const response = await service.fetch(`${path}?dataset=${dataset}&includeTotal=true`, { headers });
  // The contract's shape.
  const { pagination } = (await response.json()) as { pagination: { total: number } };
  return pagination.total;
}

function composeLogs(body: string, dataset = 'default'): string {
  return compose(
    `POST ${path}`,
    {
      Authorization: token,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Service-Dataset': dataset,
    },
    body,
  );
}

const packed = gzipSync(JSON.stringify([item]));
type Row = { title: string; headers?: Record<string, string>; body?: string | Buffer; status: number };

const rows: Row[] = [
  { title: 'one entry', status: 200 },
  { title: 'many entries', body: JSON.stringify(Array.from({ length: 100 }, () => item)), status: 200 },
  { title: 'a token with Bearer', headers: { authorization: `Bearer ${token}` }, status: 200 },
  { title: 'another dataset', headers: { 'x-service-dataset': 'other' }, status: 200 },
  { title: 'the dataset header of a brand', headers: { 'x-brand-dataset': 'other' }, status: 200 },
  {
    title: 'a type with its charset',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    status: 200,
  },
  { title: 'the last of its connection', headers: { connection: 'close' }, status: 200 },
  { title: 'an idempotency key', headers: { 'idempotency-key': 'one' }, status: 200 },
  {
    title: 'a key with another body',
    headers: { 'idempotency-key': 'one' },
    body: '[{"message":""}]',
    status: 422,
  },
  { title: 'an empty key', headers: { 'idempotency-key': '' }, status: 200 },
  {
    title: 'an empty key again, with another body',
    headers: { 'idempotency-key': '' },
    body: '[{"level":"info","message":"another"}]',
    status: 200,
  },
  { title: 'an overlong key', headers: { 'idempotency-key': 'k'.repeat(1_025) }, status: 400 },
  { title: 'a compressed body', headers: { 'content-encoding': 'gzip' }, body: packed, status: 200 },
  {
    title: 'bytes after a compressed body',
    headers: { 'content-encoding': 'deflate' },
    body: Buffer.concat([deflateSync(JSON.stringify([item])), Buffer.alloc(4)]),
    status: 400,
  },
  { title: 'a bad dataset', headers: { 'x-service-dataset': 'no spaces' }, status: 400 },
  { title: 'invalid JSON', body: '[{', status: 400 },
  { title: 'not an array', body: JSON.stringify(item), status: 400 },
  { title: 'an empty array', body: '[]', status: 400 },
  { title: 'no body', body: '', status: 400 },
  { title: 'a bad second entry', body: JSON.stringify([item, { ...item, level: 'loud' }]), status: 400 },
  { title: 'a corrupt encoding', headers: { 'content-encoding': 'gzip' }, status: 400 },
  { title: 'another type', headers: { 'content-type': 'application/xml' }, status: 415 },
  { title: 'text', headers: { 'content-type': 'text/plain' }, status: 200 },
  { title: 'an unknown token', headers: { authorization: 'nobody' }, status: 401 },
  { title: 'an empty token', headers: { authorization: '' }, status: 401 },
  { title: 'a token of another kind', headers: { authorization: mediaToken }, status: 403 },
];

describe('the fast paths and the slow path send the same response', () => {
  for (const { title, headers, body = JSON.stringify([item]), status } of rows) {
    test(`${title}: ${status}`, async () => {
      const answer = await sendEveryWay(service.url, { headers: { ...usual, ...headers }, body });
      assert.equal(answer.status, status);
    });
  }
});

test('every acknowledged entry is found at once, and no rejected one', async () => {
  const headers = { ...usual, 'x-service-dataset': 'counted' };
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const entries = Array.from({ length: index + 1 }, () =>
        index % 3 === 0 ? { ...item, level: 1 } : item,
      );
      return sendPlainly(service.url, { headers, body: JSON.stringify(entries) });
    }),
  );
  const stored = answers.reduce((sum, { status }, index) => sum + (status === 200 ? index + 1 : 0), 0);
  assert.equal(await countEntries('counted'), stored);
  assert.ok(stored > 1_000);
});

test('answers pipelined requests on one connection in order', async () => {
  const entries = (count: number) => JSON.stringify(Array.from({ length: count }, () => item));
  const requests = [
    composeLogs(entries(50)),
    composeLogs('[]'),
    compose('GET /api/v3/nothing', {}),
    composeLogs(entries(1)),
  ];
  const { answers } = await talk(service.url, [requests.join('')], { answersMax: 4 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 400, 404, 200],
  );
});

test('waits for a body that arrives in pieces, its head first, and after a pause', async () => {
  const whole = Buffer.from(composeLogs(JSON.stringify([item]), 'pieces'));
  const bodyAt = whole.indexOf('\r\n\r\n') + 4;
  for (const [cut, pauseMs] of [
    [bodyAt, 30],
    [whole.length - 20, 30],
    [bodyAt + 7, 1_300],
  ] as const) {
    const parts = [whole.subarray(0, cut), pauseMs, whole.subarray(cut), whole];
    const { answers } = await talk(service.url, parts, { answersMax: 2 });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  }
  assert.equal(await countEntries('pieces'), 6);
});

test('answers requests after a body in pieces in order', async () => {
  const whole = composeLogs(JSON.stringify([item]), 'followed');
  const next = compose('GET /healthz', {});
  const parts = [whole.slice(0, -5), 30, whole.slice(-5) + next];
  const { answers } = await talk(service.url, parts, { answersMax: 2 });
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [200, '{"status":"ok"}'],
      [200, '{"status":"ok"}'],
    ],
  );
  assert.equal(await countEntries('followed'), 1);
});

test('answers a request that arrives before the previous response in order', async () => {
  const whole = composeLogs(JSON.stringify([item]), 'hasty');
  const socket = connect({ port: Number(new URL(service.url).port) });
  let received = '';
  socket.setEncoding('latin1').on('data', chunk => {
    received += chunk;
    if (received.split('HTTP/1.1 200').length > 4) socket.end();
  });
  // Each goes in a separate write: the second arrives before the first is synced.
  for (let index = 0; index < 4; index += 1) {
    await new Promise<void>(resolve => socket.setNoDelay(true).write(whole, () => resolve()));
  }
  await once(socket, 'close');
  assert.equal(received.split('HTTP/1.1 200').length, 5);
  assert.equal(await countEntries('hasty'), 4);
});

test('a client that disconnects in the middle of its body leaves nothing behind', async () => {
  const whole = composeLogs(JSON.stringify([item]), 'left');
  await talk(service.url, [whole.slice(0, -10)], { timeMsMax: 50 });
  assert.equal(await countEntries('left'), 0);
});

test('a client that half-closes after a request gets its response; within one, an error', async () => {
  const whole = composeLogs(JSON.stringify([item]), 'half');
  const close = async (sent: string) => {
    const socket = connect({ port: Number(new URL(service.url).port), allowHalfOpen: true });
    socket.end(sent);
    return text(socket);
  };
  assert.match(await close(whole), /^HTTP\/1\.1 200 /);
  const last = whole.replace('\r\n', '\r\nConnection: close\r\n');
  assert.match(await close(last), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
  assert.match(await close(whole.slice(0, -10)), /^HTTP\/1\.1 400 .*"code":"bad_request"\}$/s);
  assert.equal(await countEntries('half'), 2);
});

test('a stop answers requests in progress, then closes their connections', async () => {
  const other = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
  const body = composeLogs(JSON.stringify([item]));
  const socket = connect({ port: Number(new URL(other.url).port) });
  await once(socket, 'connect');
  socket.write(body.slice(0, -10));
  // When these are answered, the service has received the request sent before them.
  for (let count = 0; count < 3; count += 1) await (await other.fetch('/healthz')).arrayBuffer();
  const answer = text(socket);
  const stopped = other[Symbol.asyncDispose]();
  socket.write(body.slice(-10));
  assert.match(await answer, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
  await stopped;
});

test('rejects two Host headers', async () => {
  const twice = `POST ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`;
  const { answers } = await talk(service.url, [twice], {});
  assert.equal(answers[0]?.status, 400);
  assert.match(answers[0]?.body ?? '', /Host/);
});

test('counts requests by their route', async () => {
  await sendPlainly(service.url, { headers: usual, body: JSON.stringify([item]) });
  const metrics = await (await service.fetch('/metrics')).text();
  assert.match(
    metrics,
    /tapedeck_http_requests_total\{method="POST",route="\/api\/v3\/logs",status="200"\} \d+/,
  );
});
