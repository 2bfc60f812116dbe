/** Logs, sessions and webhooks as clients in the field send them: with a changed base URL and nothing else, each is served. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { formType, type Headers, makeSender, writeForm } from './fieldRequests.ts';
import { compose, talk } from './rawHttp.ts';
import { startTestService } from './service.ts';
import { openLogBook, summarise } from './storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const book = await openLogBook(service);
const { send, take } = makeSender(service);

const logsHeaders = { 'Content-Type': 'application/json', Authorization: book.token };

/** Each keeps its entries in a dataset of its own and reads them back. */
async function sendEntries(path: string, headers: Headers, body: string): Promise<string[]> {
  const dataset = book.newDataset();
  await take(`POST ${path}`, { ...logsHeaders, 'X-Brand-Dataset': dataset, ...headers }, body);
  return (await book.read(dataset)).map(summarise);
}

describe('logs', () => {
  it('a game server sends a batch with keys missing, nested metadata, numbers, flags and an empty table', async () => {
    const batch = [
      { level: 'info', message: 'join', metadata: { player: { id: 7, admin: true }, items: [1, 2.5] } },
      { level: 'warn', message: 'lag', resource: 'bank', metadata: [] },
      { message: 'no level' },
      { level: 'critical' },
    ];
    const stored = await sendEntries('/api/logs/batch', {}, JSON.stringify(batch));
    assert.deepEqual(stored, ['info: join', 'warn: lag', 'info: no level', 'error: ']);
  });

  it('a game server sends an empty table to V3 and a resource of null', async () => {
    const stored = await sendEntries(
      '/api/v3/logs',
      {},
      '[{"level":"info","message":"m","metadata":[],"resource":null}]',
    );
    assert.deepEqual(stored, ['info: m']);
  });

  it('a script sends one object, as it always did', async () => {
    const stored = await sendEntries(
      '/api/logs',
      {},
      '{"level":"error","message":"boom","metadata":{"a":1}}',
    );
    assert.deepEqual(stored, ['error: boom']);
  });

  it('a script sends JSON and declares nothing, or a form', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', ''])
      assert.deepEqual(await sendEntries('/api/logs', { 'Content-Type': type }, '{"message":"m"}'), [
        'info: m',
      ]);
  });

  it('a logging library sends each entry in chunks, with a token in the query', async () => {
    const dataset = book.newDataset();
    const line = `POST /api/v3/logs?apiKey=${book.token}&dataset=${dataset}`;
    const json = '[{"level":"info","message":"chunked"}]';
    const body = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
    const head = compose(line, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    const { answers } = await talk(service.url, [head, body], { answersMax: 1 });
    assert.equal(answers[0]?.status, 200);
    assert.deepEqual((await book.read(dataset)).map(summarise), ['info: chunked']);
  });

  it('a logging library sends what its levels are called', async () => {
    const names = ['silly', 'verbose', 'http', 'warning', 'fatal'];
    const batch = names.map(level => ({
      level,
      message: level,
      timestamp: new Date().toISOString(),
      pid: 1,
    }));
    assert.deepEqual(await sendEntries('/api/logs', {}, JSON.stringify(batch)), [
      'info: silly',
      'debug: verbose',
      'info: http',
      'warn: warning',
      'error: fatal',
    ]);
  });
});

describe('game-server SDKs', () => {
  const identities = {
    'a server of the type fivem': 'sdkType=fivem&endpoint=203.0.113.5%3A30120&resourceName=sdk',
    'a server of the type roblox': 'sdkType=roblox&universeId=123&jobId=5a0e',
  };
  for (const [name, identity] of Object.entries(identities)) {
    it(`${name} reports, logs, beats and ends`, async () => {
      const headers = { Authorization: book.token, 'Content-Type': 'application/json' };
      const { token, expiresAt } = await take(`POST /api/sdk/report?${identity}`, headers, '{}');
      assert.match(String(expiresAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const own = { Authorization: String(token) };
      assert.deepEqual(await sendEntries('/api/v3/logs', own, '[{"level":"info","message":"up"}]'), [
        'info: up',
      ]);
      const beat = await take('POST /api/sdk/heartbeat', {
        ...own,
        'Content-Type': 'application/json',
        'Content-Length': 0,
      });
      assert.equal(beat.status, 'ok');
      assert.equal(await take(`POST /api/sdk/invalidate?${identity}`, own), 'SDK resource invalidated.');
    });
  }
});

describe('chat webhooks', () => {
  const hook = `/api/webhooks/123456789012345678/${book.token}`;
  const json = { 'Content-Type': 'application/json' };

  it('a library that insists on 204 gets it', async () => {
    const { status, body } = await send(`POST ${hook}`, json, '{"content":"hi"}');
    assert.deepEqual([status, body], [204, '']);
  });

  it('a library that insists on a message gets one', async () => {
    const message = await take(
      `POST /api/v10/webhooks/${hook.split('/').slice(3).join('/')}?wait=true`,
      json,
      '{"content":"hi"}',
    );
    assert.match(String(message.id), /^\d+$/);
    assert.equal(message.content, 'hi');
  });

  it('a library that looks at its webhook first finds it', async () => {
    const { id, token, type } = await take(`GET ${hook}`);
    assert.deepEqual([id, token, type], ['123456789012345678', book.token, 1]);
  });

  it('a game server sends what it sends to the platform, picture and all', async () => {
    const form = writeForm('files[0]', 'shot.png', { payload_json: '{"embeds":[{"title":"Kick"}]}' });
    assert.equal((await send(`POST ${hook}`, formType, form)).status, 204);
  });

  it('a server resource that was pointed at /v3/logs/discord logs there', async () => {
    const stored = await sendEntries(
      '/api/v3/logs/discord',
      {},
      '{"username":"bot","embeds":[{"title":"t","color":"16711680"}]}',
    );
    assert.deepEqual(stored, ['error: t']);
  });
});
