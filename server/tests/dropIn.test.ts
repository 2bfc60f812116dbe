/** Requests as clients in the field send them, byte by byte: with a changed base URL and nothing else, each is served. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from './people.ts';
import { compose, type RawAnswer, talk } from './rawHttp.ts';
import { smallPng, smallWav } from './samples/smallMedia.ts';
import { startTestService } from './service.ts';
import { openLogBook, summarise } from './storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: media } = await addToken(owner);
const book = await openLogBook(service);

type Headers = Readonly<Record<string, string | number>>;
type Json = { [key: string]: Json } & string;

/** One request on a connection of its own. */
async function send(
  requestLine: string,
  headers: Headers = {},
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const bytes = Buffer.from(body);
  const length: Headers = bytes.length > 0 ? { 'Content-Length': bytes.length } : {};
  const { answers } = await talk(service.url, [compose(requestLine, { ...headers, ...length }), bytes], {
    answersMax: 1,
  });
  const [answer] = answers;
  assert.ok(answer, `${requestLine} is answered`);
  return answer;
}

/** For clients that take nothing but a 200 with JSON. */
async function take(requestLine: string, headers: Headers = {}, body: string | Buffer = ''): Promise<Json> {
  const { status, body: text } = await send(requestLine, headers, body);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const formType = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };

/** A form as a browser writes it, with one file. */
function writeForm(part: string, filename: string, fields: Readonly<Record<string, string>> = {}): Buffer {
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const bytes = filename.endsWith('.wav') ? smallWav : smallPng;
  return Buffer.concat([Buffer.from(texts.join('') + head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

const mediaHeaders = { ...formType, Authorization: media };
const logsHeaders = { 'Content-Type': 'application/json', Authorization: book.token };

/** Each keeps its entries in a dataset of its own and reads them back. */
async function sendEntries(path: string, headers: Headers, body: string): Promise<string[]> {
  const dataset = book.newDataset();
  await take(`POST ${path}`, { ...logsHeaders, 'X-Brand-Dataset': dataset, ...headers }, body);
  return (await book.read(dataset)).map(summarise);
}

describe('uploads', () => {
  it('a screenshot resource sends the part "image" to V1 and reads url flat', async () => {
    const { url } = await take('POST /api/image', mediaHeaders, writeForm('image', 'screenshot.png'));
    assert.match(String(url), /^http:\/\/.+\.png$/);
  });

  it('a screenshot resource sends the part "files[]" with a chat webhook in mind, and reads url under data', async () => {
    const answer = await take('POST /api/v3/file', mediaHeaders, writeForm('files[]', 'screenshot.jpg'));
    assert.match(String(answer.data?.url), /\.png$/);
  });

  it('a phone sends the part "recording" to V2, and reads url flat or under data', async () => {
    const answer = await take('POST /api/v2/audio', mediaHeaders, writeForm('recording', 'memo.wav'));
    assert.equal(answer.url, answer.data?.url);
    assert.equal(answer.id, answer.data?.id);
  });

  it('a phone without headers sends its token as ?apiKey=', async () => {
    await take(`POST /api/v2/image?apiKey=${media}`, formType, writeForm('file', 'selfie.webp'));
    await take(`POST /api/image?apiKey=${media}`, formType, writeForm('image', 'selfie.webp'));
    await take(`POST /api/v3/file?apiKey=${media}`, formType, writeForm('file', 'selfie.webp'));
  });

  it('a canvas sends its data URL as text/plain', async () => {
    const headers = { Authorization: media, 'Content-Type': 'text/plain;charset=UTF-8' };
    const answer = await take(
      'POST /api/v3/file',
      headers,
      `data:image/jpeg;base64,${smallPng.toString('base64')}`,
    );
    assert.match(String(answer.data?.url), /\.png$/);
  });

  it('a script sends a data URL in JSON, with metadata as text', async () => {
    const headers = { Authorization: `Bearer ${media}`, 'Content-Type': 'application/json' };
    const body = { base64: `data:image/png;base64,${smallPng.toString('base64')}`, metadata: '{"a":1}' };
    await take('POST /api/v3/file/base64', headers, JSON.stringify(body));
  });

  it('ShareX sends its own fields beside the file and takes $json:url$', async () => {
    const form = writeForm('file', 'Schreibtisch_ö.png', { title: 'x', hidden: 'true' });
    const headers = { ...mediaHeaders, 'User-Agent': 'ShareX/16.1.0', Accept: '*/*' };
    const answer = await take('POST /api/image', headers, form);
    const { status } = await send(`GET ${new URL(String(answer.url)).pathname}`);
    assert.equal(status, 200);
  });

  it('an HTTP client that hopes for HTTP/2 says so on a POST, while a stream is open', async () => {
    const abort = new AbortController();
    const tail = await service.fetch('/api/v3/logs/tail', {
      headers: { authorization: book.token },
      signal: abort.signal,
    });
    assert.equal(tail.status, 200);
    const upgrade = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA',
    };
    await take('POST /api/v2/image', { ...mediaHeaders, ...upgrade }, writeForm('image', 'shot.png'));
    assert.deepEqual(await sendEntries('/api/logs', upgrade, '{"level":"info","message":"m"}'), ['info: m']);
    abort.abort();
  });

  it('a client that waits for 100 Continue is told to go on', async () => {
    await take(
      'POST /api/image',
      { ...mediaHeaders, Expect: '100-continue' },
      writeForm('image', 'shot.png'),
    );
  });

  it('a client that always declares JSON deletes without a body', async () => {
    const { id } = await take('POST /api/image', mediaHeaders, writeForm('image', 'shot.png'));
    const headers = { Authorization: media, 'Content-Type': 'application/json' };
    const { message } = await take(`DELETE /api/image/delete/${id}`, headers);
    assert.equal(message, 'File deleted.');
    const again = await take('POST /api/image', mediaHeaders, writeForm('image', 'shot.png'));
    await take(`DELETE /api/v3/file/${again.id}`, { ...headers, 'Content-Length': 0 });
  });

  it('a client that shows .error to its user finds a sentence there', async () => {
    const { status, body } = await send('POST /api/v2/video', mediaHeaders, writeForm('video', 'shot.png'));
    assert.equal(status, 415);
    assert.match(JSON.parse(body).error, /^[A-Z].+\.$/);
  });
});

describe('presigned URLs', () => {
  it('a phone asks V3 with fileType, reads teamId and exp from the token, and uploads', async () => {
    const answer = await take('GET /api/v3/file/presigned-url?fileType=image', { Authorization: media });
    const { pathname } = new URL(String(answer.data?.presignedUrl));
    const payload = JSON.parse(Buffer.from(pathname.split('.')[1] ?? '', 'base64').toString());
    assert.equal(payload.teamId, 'default');
    assert.ok(payload.exp * 1000 > Date.now());
    await take(`POST ${pathname}`, formType, writeForm('image', 'selfie.png', { retention_exempt: 'false' }));
  });

  it('an older phone asks V2 and names the part after the type', async () => {
    const answer = await take('GET /api/v2/presigned-url?fileType=audio', {
      Authorization: media,
      'Content-Type': 'application/json',
    });
    const { pathname } = new URL(String(answer.data?.presignedUrl));
    const { url } = await take(`POST ${pathname}`, formType, writeForm('audio', 'memo.wav'));
    assert.match(String(url), /\.wav$/);
  });
});

describe('pages in a browser', () => {
  for (const path of ['/api/v3/file', '/api/v2/image', '/api/image', '/api/logs', '/api/v3/logs']) {
    it(`send Authorization to ${path} after a preflight`, async () => {
      const origin = { Origin: 'https://cfx-nui-phone' };
      const asked = { 'Access-Control-Request-Method': 'POST' };
      const preflight = await send(`OPTIONS ${path}`, {
        ...origin,
        ...asked,
        'Access-Control-Request-Headers': 'authorization,content-type,x-brand-dataset',
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      assert.match(preflight.headers['access-control-allow-methods'] ?? '', /POST/);
      assert.match(
        preflight.headers['access-control-allow-headers'] ?? '',
        /authorization.+x-brand-dataset/i,
      );
      const answer = path.includes('logs')
        ? await send(`POST ${path}`, { ...logsHeaders, ...origin }, '[{"level":"info","message":"m"}]')
        : await send(`POST ${path}`, { ...mediaHeaders, ...origin }, writeForm('file', 'shot.png'));
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
    });
  }

  it('may read an error, too', async () => {
    const { status, headers } = await send('POST /api/v2/image', formType, writeForm('image', 'shot.png'));
    assert.deepEqual([status, headers['access-control-allow-origin']], [401, '*']);
  });
});

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
