/** Sentry's protocol over HTTP: the service stores what its clients send, attachments become files, and errors have its format. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { queryLogs } from '@tapedeck/contract/logs';
import { smallPng } from '@tapedeck/media-facts/samples';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { Entry } from '../support/storedEntries.ts';
import { mediaEnvironment, pathOf, readRecord } from '../support/uploading.ts';

const service = await startTestService({ environment: { ...mediaEnvironment } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const id = 'ab'.repeat(16);

/** Makes an event with a screenshot, as SDKs send both. */
function makeEnvelope(message: string): Buffer {
  const lines = [{ event_id: id }, { type: 'event' }, { event_id: id, message, level: 'warning' }];
  const file = {
    type: 'attachment',
    filename: 'shot.png',
    length: smallPng.length,
    content_type: 'image/png',
  };
  return Buffer.concat([
    Buffer.from(`${[...lines, file].map(line => JSON.stringify(line)).join('\n')}\n`),
    smallPng,
    Buffer.from('\n{"type":"session"}\n{}\n'),
  ]);
}

let datasets = 0;

async function open(kind: 'logs' | 'webhook') {
  const dataset = `sentry-${++datasets}`;
  const { token } = await addToken(owner, { kind, scopes: ['write', `dataset:${dataset}`] });
  const reader = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
  return {
    auth: { 'x-sentry-auth': `Sentry sentry_version=7, sentry_client=test/1, sentry_key=${token}` },
    token,
    read: async (): Promise<Entry[]> => (await reader.call(queryLogs, { query: { dataset } })).data,
    count: async () =>
      (await reader.call(queryLogs, { query: { dataset, limit: 1, includeTotal: 'true' } })).pagination.total,
  };
}

test("a gzip envelope goes to its token's dataset; without a webhook token its file is only named", async () => {
  const { auth, read } = await open('logs');
  const response = await service.fetch('/api/42/envelope/', {
    method: 'POST',
    headers: { ...auth, 'content-encoding': 'gzip', 'content-type': 'application/x-sentry-envelope' },
    body: new Uint8Array(gzipSync(makeEnvelope('hello'))),
  });
  assert.deepEqual([response.status, await response.json()], [200, { id }]);
  const [entry, ...others] = await read();
  assert.deepEqual(others, []);
  assert.deepEqual([entry?.level, entry?.body], ['warn', 'hello']);
  assert.equal(entry?.metadata.event_id, id);
  assert.equal(entry?.metadata['attachments.0.filename'], 'shot.png');
  assert.match(entry?.metadata['attachments.0.refused'] ?? '', /kind webhook/);
});

test('with a webhook token, the file is stored in the folder sentry', async () => {
  const { auth, read } = await open('webhook');
  const body = new Uint8Array(makeEnvelope('kept'));
  const response = await service.fetch('/api/1/envelope/', { method: 'POST', headers: auth, body });
  assert.equal(response.status, 200, await response.text());
  const [entry] = await read();
  const { 'attachments.0.url': url = '', 'attachments.0.id': file = '' } = entry?.metadata ?? {};
  const kept = await service.fetch(pathOf(url));
  assert.deepEqual(Buffer.from(await kept.arrayBuffer()), smallPng);
  assert.equal((await readRecord(service, file)).path, 'sentry');
});

test('a browser sends its key in the URL, and a single event is accepted', async () => {
  const { token, read } = await open('logs');
  const response = await service.fetch(`/api/1/store/?sentry_version=7&sentry_key=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://game.example' },
    body: JSON.stringify({ exception: { values: [{ type: 'TypeError', value: 'x is not a function' }] } }),
  });
  assert.deepEqual([response.status, await response.json()], [200, {}]);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /X-Sentry-Rate-Limits/);
  assert.deepEqual(
    (await read()).map(({ level, body }) => `${level}: ${body}`),
    ['error: TypeError: x is not a function'],
  );
});

test('older SDKs send their key in Authorization', async () => {
  const { token, read } = await open('logs');
  const response = await service.fetch('/api/1/store/', {
    method: 'POST',
    headers: { authorization: `Sentry sentry_version=7, sentry_key=${token}, sentry_client=raven/1` },
    body: JSON.stringify({ message: 'old' }),
  });
  assert.equal(response.status, 200);
  assert.deepEqual(
    (await read()).map(({ body }) => body),
    ['old'],
  );
});

test('errors have the form of Sentry', async () => {
  const { auth, read } = await open('webhook');
  const png = JSON.stringify({ type: 'attachment', length: smallPng.length, filename: 'a.png' });
  const broken = Buffer.concat([
    Buffer.from(`{}\n${png}\n`),
    smallPng,
    Buffer.from('\n{"type":"event"}\n[]'),
  ]);
  const rows: [
    path: string,
    headers: Record<string, string>,
    body: string | Buffer,
    status: number,
    says: RegExp,
  ][] = [
    ['/api/1/envelope/', {}, '{}', 401, /^\{"detail":"Send an API token[^"]*","causes":\[\]\}$/],
    ['/api/1/envelope/', { 'x-sentry-auth': 'Sentry sentry_key=no' }, '{}', 401, /not known/],
    ['/api/1/envelope/', auth, 'x', 400, /must begin with a header line/],
    ['/api/1/envelope/', auth, broken, 400, /Item 1 must hold a JSON object/],
    ['/api/1/store/', auth, '[]', 400, /must be a JSON object/],
    ['/api/1/store/', auth, '{', 400, /valid JSON/],
  ];
  for (const [path, headers, body, status, says] of rows) {
    const sent = typeof body === 'string' ? body : new Uint8Array(body);
    const response = await service.fetch(path, { method: 'POST', headers, body: sent });
    assert.match(await response.text(), says);
    assert.equal(response.status, status);
  }
  assert.equal(
    (await service.fetch('/api/one/store/', { method: 'POST', headers: auth, body: '{}' })).status,
    404,
  );
  assert.deepEqual(await read(), []);
});

test('beyond the rate limit, the client is told how long to pause', async () => {
  await using limited = await startTestService({ environment: { TAPEDECK_RATE_LIMIT: '1' } });
  const { token } = await addToken(await addPerson(limited, { isOwner: true }), { kind: 'logs' });
  const send = () =>
    limited.fetch('/api/1/store/', {
      method: 'POST',
      headers: { 'x-sentry-auth': `Sentry sentry_key=${token}` },
      body: '{"message":"m"}',
    });
  assert.equal((await send()).status, 200);
  const refused = await send();
  assert.equal(refused.status, 429);
  assert.equal(
    refused.headers.get('x-sentry-rate-limits'),
    `${refused.headers.get('retry-after')}::organization`,
  );
});

test('accepts the journal of systemd at /upload, with the token as a password', async () => {
  const { token, read } = await open('logs');
  const send = (body: string) =>
    service.fetch('/upload', {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`x:${token}`)}`,
        'content-type': 'application/vnd.fdo.journal',
      },
      body,
    });
  const taken = await send('MESSAGE=started\nPRIORITY=4\nSYSLOG_IDENTIFIER=game\n_PID=7\n\n');
  assert.equal(taken.status, 202, await taken.text());
  const refused = await send('lower=x\n\n');
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /"code":"bad_request"/);
  assert.deepEqual(
    (await read()).map(({ level, body, resource, metadata }) => [level, body, resource, metadata]),
    [['warn', 'started', 'game', { _PID: '7' }]],
  );
});

test('a journal backlog may be longer than any other body, and is stored once if it is resent', async () => {
  const { token, count } = await open('logs');
  const line = 'x'.repeat(60_000);
  const journal = Buffer.from(
    Array.from({ length: 180 }, (_, index) => `__CURSOR=i=${index}\nMESSAGE=${index} ${line}\n\n`).join(''),
  );
  const send = (body: Buffer, headers: Record<string, string> = {}) =>
    service.fetch('/upload', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`x:${token}`)}`, ...headers },
      body: new Uint8Array(body),
    });
  const broken = await send(Buffer.concat([journal, Buffer.from('lower=x\n\n')]));
  assert.equal(broken.status, 400, await broken.text());
  assert.equal((await send(gzipSync(journal), { 'content-encoding': 'gzip' })).status, 202);
  const falsely = await send(journal, { 'content-encoding': 'zstd' });
  assert.equal(falsely.status, 400);
  assert.match(await falsely.text(), /does not match its Content-Encoding zstd/);
  assert.equal(await count(), 180);
});

test("a user's feedback is an entry with its screenshot, in the old form, too", async () => {
  const { auth, read } = await open('webhook');
  const feedback = { message: 'The shop is stuck', contact_email: 'ann@example.com', source: 'widget' };
  const file = { type: 'attachment', filename: 'shot.png', length: smallPng.length };
  const [sent, old] = [
    [{ event_id: id }, { type: 'feedback' }, { type: 'feedback', contexts: { feedback } }, file],
    [{ event_id: id }, { type: 'user_report' }, { event_id: id, name: 'Bob', comments: 'It froze' }],
  ].map(lines => Buffer.from(`${lines.map(line => JSON.stringify(line)).join('\n')}\n`));
  for (const body of [Buffer.concat([sent!, smallPng]), old!]) {
    const answer = await service.fetch('/api/1/envelope/', { method: 'POST', headers: auth, body });
    assert.equal(answer.status, 200, await answer.text());
  }
  const [second, first, ...others] = await read();
  assert.deepEqual(others, []);
  assert.deepEqual([first?.level, first?.body], ['info', 'The shop is stuck']);
  assert.equal(first?.metadata['contexts.feedback.contact_email'], 'ann@example.com');
  assert.match(first?.metadata['attachments.0.url'] ?? '', /\/sentry\/shot-/);
  assert.deepEqual([second?.level, second?.body, second?.metadata.event_id], ['info', 'It froze', id]);
  assert.equal(second?.metadata['user.name'], 'Bob');
});

test("structured logs of Go's SDK without a release name the host, as its events do", async () => {
  const { auth, read } = await open('logs');
  const attributes = { 'sentry.server.address': { value: 'host-7', type: 'string' } };
  const lines = [{}, { type: 'log' }, { items: [{ level: 'info', body: 'from Go', attributes }] }];
  const body = lines.map(line => JSON.stringify(line)).join('\n');
  const answer = await service.fetch('/api/1/envelope/', { method: 'POST', headers: auth, body });
  assert.equal(answer.status, 200, await answer.text());
  assert.deepEqual(
    (await read()).map(entry => [entry.resource, entry.body]),
    [['host-7', 'from Go']],
  );
});
