/** Log entries that come in by the short way, before the router: stored, answered and refused as the router does. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { compose, talk } from './rawHttp.ts';
import { startTestService } from './service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const mediaToken = 'a-media-token-of-thirty-two-char';
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_MEDIA_TOKEN: mediaToken },
});
after(() => service[Symbol.asyncDispose]());

const path = '/api/v3/logs';
const item = { level: 'info', message: 'héllo', metadata: { a: { b: 1 } } };
const usual = { authorization: token, 'content-type': 'application/json' };

/** All that is said to a request, but for what is different each time. */
async function send(to: string, headers: Record<string, string>, body: string) {
  const response = await service.fetch(to, { method: 'POST', headers, body });
  const all = Object.fromEntries(response.headers);
  assert.match(all['x-request-id'] ?? '', /^[0-9A-Za-z]{20}$/);
  for (const name of ['x-request-id', 'date']) delete all[name];
  return { status: response.status, all, body: await response.text() };
}

async function countEntries(dataset: string): Promise<unknown> {
  const headers = { authorization: token };
  const response = await service.fetch(`${path}?dataset=${dataset}&includeTotal=true`, { headers });
  // As the contract says.
  const { pagination } = (await response.json()) as { pagination: { total: number } };
  return pagination.total;
}

/** With bytes alone in its body. */
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

type Row = { title: string; headers?: Record<string, string>; body?: string; status: number };

const rows: Row[] = [
  { title: 'one entry', status: 200 },
  { title: 'many entries', body: JSON.stringify(Array.from({ length: 100 }, () => item)), status: 200 },
  { title: 'a token behind the word Bearer', headers: { authorization: `Bearer ${token}` }, status: 200 },
  { title: 'another dataset', headers: { 'x-service-dataset': 'other' }, status: 200 },
  { title: 'a brand of dataset header', headers: { 'x-brand-dataset': 'other' }, status: 200 },
  {
    title: 'a type with its charset',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    status: 200,
  },
  { title: 'a key', headers: { 'idempotency-key': 'one' }, status: 200 },
  { title: 'a bad dataset', headers: { 'x-service-dataset': 'no spaces' }, status: 400 },
  { title: 'no JSON', body: '[{', status: 400 },
  { title: 'no array', body: JSON.stringify(item), status: 400 },
  { title: 'an empty array', body: '[]', status: 400 },
  { title: 'no body', body: '', status: 400 },
  { title: 'a bad second entry', body: JSON.stringify([item, { ...item, level: 'loud' }]), status: 400 },
  { title: 'a broken encoding', headers: { 'content-encoding': 'gzip' }, status: 400 },
  { title: 'another type', headers: { 'content-type': 'application/xml' }, status: 415 },
  { title: 'text', headers: { 'content-type': 'text/plain' }, status: 200 },
  { title: 'an unknown token', headers: { authorization: 'nobody' }, status: 401 },
  { title: 'an empty token', headers: { authorization: '' }, status: 401 },
  { title: 'a token of another kind', headers: { authorization: mediaToken }, status: 403 },
];

describe('the short way and the long way answer the same', () => {
  for (const { title, headers, body = JSON.stringify([item]), status } of rows) {
    test(`${title}: ${status}`, async () => {
      const short = await send(path, { ...usual, ...headers }, body);
      // An empty query keeps a request off the short way.
      assert.deepEqual(short, await send(`${path}?`, { ...usual, ...headers }, body));
      assert.equal(short.status, status);
    });
  }
});

test('every entry that was acknowledged is found at once, and nothing of what was refused', async () => {
  const headers = { ...usual, 'x-service-dataset': 'counted' };
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const entries = Array.from({ length: index + 1 }, () =>
        index % 3 === 0 ? { ...item, level: 1 } : item,
      );
      return send(path, headers, JSON.stringify(entries));
    }),
  );
  const stored = answers.reduce((sum, { status }, index) => sum + (status === 200 ? index + 1 : 0), 0);
  assert.equal(await countEntries('counted'), stored);
  assert.ok(stored > 1_000);
});

test('several requests on one connection are answered in their order', async () => {
  const entries = (count: number) => JSON.stringify(Array.from({ length: count }, () => item));
  const asked = [
    composeLogs(entries(50)),
    composeLogs('[]'),
    compose('GET /api/v3/nothing', {}),
    composeLogs(entries(1)),
  ];
  const { answers } = await talk(service.url, [asked.join('')], { answersMax: 4 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 400, 404, 200],
  );
});

test('a body that comes in pieces is waited for', async () => {
  const whole = Buffer.from(composeLogs(JSON.stringify([item])));
  const cut = whole.length - 20;
  const parts = [whole.subarray(0, cut), 30, whole.subarray(cut)];
  const { answers } = await talk(service.url, parts, { answersMax: 1 });
  assert.equal(answers[0]?.status, 200);
});

test('a client that goes in the middle of its body leaves nothing behind', async () => {
  const whole = composeLogs(JSON.stringify([item]), 'left');
  await talk(service.url, [whole.slice(0, -10)], { timeMsMax: 50 });
  assert.equal(await countEntries('left'), 0);
});

test('two hosts are refused', async () => {
  const twice = `POST ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`;
  const { answers } = await talk(service.url, [twice], {});
  assert.equal(answers[0]?.status, 400);
  assert.match(answers[0]?.body ?? '', /Host/);
});

test('requests are counted by their route', async () => {
  await send(path, usual, JSON.stringify([item]));
  const metrics = await (await service.fetch('/metrics')).text();
  assert.match(
    metrics,
    /tapedeck_http_requests_total\{method="POST",route="\/api\/v3\/logs",status="200"\} \d+/,
  );
});
