/** The service handles V1 and V2 requests that change only the base URL. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { type Headers, hopesForHttp2, makeSender, writeForm } from '../../../tests/support/fieldRequests.ts';
import { formWriters } from '../../../tests/support/multipartForms.ts';
import { addPerson, addToken } from '../../../tests/support/people.ts';
import { startTestService } from '../../../tests/support/service.ts';
import { openLogBook, summarise } from '../../../tests/support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token: media } = await addToken(await addPerson(service, { isOwner: true }));
const book = await openLogBook(service);
const { send, take, takeFile } = makeSender(service);
const headers: Headers = { Authorization: media };
const shot = { part: 'image', filename: 'shot.png' };

/** Sends entries to a dataset of their own and reads them back. */
async function sendEntries(path: string, more: Headers, body: string): Promise<string[]> {
  const dataset = book.newDataset();
  const usual = { 'Content-Type': 'application/json', Authorization: book.token, 'X-Brand-Dataset': dataset };
  await take(`POST ${path}`, { ...usual, ...more }, body);
  return (await book.read(dataset)).map(summarise);
}

describe('uploads', () => {
  for (const by of formWriters) {
    it(`accepts a form of ${by}, and returns url at the top level and under data`, async () => {
      const first = await takeFile('POST /api/image', { by, headers, ...shot, fields: { metadata: '{}' } });
      assert.match(String(first.url), /^http:\/\/.+\/shot-\w+\.png$/);
      const second = await takeFile('POST /api/v2/image', { by, headers, ...shot });
      assert.equal(second.url, second.data?.url);
      assert.equal(second.id, second.data?.id);
    });
  }

  it('a phone uploads a sound recording in the part "recording"', async () => {
    for (const path of ['/api/audio', '/api/v2/audio'])
      await takeFile(`POST ${path}`, { headers, part: 'recording', filename: 'memo.wav' });
  });

  it('a phone without headers sends its token as ?apiKey=', async () => {
    for (const path of ['/api/image', '/api/v2/image'])
      await takeFile(`POST ${path}?apiKey=${media}`, { part: 'file', filename: 'selfie.webp' });
    for (const path of ['/api/presigned-url', '/api/v2/presigned-url']) {
      const response = await service.fetch(`${path}?fileType=image&apiKey=${media}`);
      assert.equal(response.status, 200, path);
    }
    const { id } = await takeFile(`POST /api/image?apiKey=${media}`, { part: 'file', filename: 'gone.webp' });
    const deletion = await service.fetch(`/api/image/delete/${id}?apiKey=${media}`, { method: 'DELETE' });
    assert.equal(deletion.status, 200);
  });

  it('a screenshot resource uploads a canvas as text', async () => {
    const text = { ...headers, 'Content-Type': 'text/plain;charset=UTF-8' };
    for (const path of ['/api/image', '/api/v2/image']) {
      const { url } = await take(
        `POST ${path}`,
        text,
        `data:image/webp;base64,${smallPng.toString('base64')}`,
      );
      assert.match(String(url), /\.png$/);
    }
  });

  it('ShareX sends extra fields with the file, reads $json:url$ and shows the result', async () => {
    const { url } = await takeFile('POST /api/image', {
      headers: { ...headers, 'User-Agent': 'ShareX/16.1.0', Accept: '*/*' },
      part: 'image',
      filename: 'Schreibtisch_ö.png',
      fields: { title: 'x', hidden: 'true' },
    });
    assert.equal((await send(`GET ${new URL(String(url)).pathname}`)).status, 200);
  });

  it('serves an HTTP client that offers HTTP/2 or waits for 100 Continue', async () => {
    for (const more of [hopesForHttp2, { Expect: '100-continue' }])
      await takeFile('POST /api/v2/image', { headers: { ...headers, ...more }, ...shot });
  });

  it('a client that always declares JSON deletes without a body, or with an empty one', async () => {
    for (const body of ['', '{}']) {
      const { id } = await takeFile('POST /api/image', { headers, ...shot });
      const declared = { ...headers, 'Content-Type': 'application/json' };
      const { message, status } = await take(`DELETE /api/image/delete/${id}`, declared, body);
      assert.deepEqual([message, status], ['File deleted.', 'ok']);
    }
  });

  it('a client that shows .error to its user finds a sentence there', async () => {
    const { contentType, body } = writeForm({ part: 'video', filename: 'shot.png' });
    const refused = await send('POST /api/v2/video', { ...headers, 'Content-Type': contentType }, body);
    assert.equal(refused.status, 415);
    assert.match(JSON.parse(refused.body).error, /^[A-Z].+\.$/);
  });

  it('accepts a base URL that ends in a slash', async () => {
    for (const path of ['/api//image', '/api//v2/image/'])
      await takeFile(`POST ${path}`, { headers, ...shot });
  });
});

describe('presigned URLs', () => {
  it('a phone uses V2 and names the part after the type', async () => {
    const declared = { ...headers, 'Content-Type': 'application/json' };
    const answer = await take('GET /api/v2/presigned-url?fileType=audio', declared);
    const { pathname } = new URL(String(answer.data?.presignedUrl));
    const { data } = await takeFile(`POST ${pathname}`, { part: 'audio', filename: 'memo.wav' });
    assert.match(String(data?.url), /\.wav$/);
  });

  it('a library misspells fileType', async () => {
    const { presignedUrl } = await take('GET /api/presigned-url?$fileType=image', headers);
    const { pathname } = new URL(String(presignedUrl));
    await takeFile(`POST ${pathname}`, shot);
  });

  it('tells a phone that names every part "file" which name to use', async () => {
    const { presignedUrl } = await take('GET /api/presigned-url?fileType=image', headers);
    const { contentType, body } = writeForm({ part: 'file', filename: 'shot.png' });
    const refused = await send(
      `POST ${new URL(String(presignedUrl)).pathname}`,
      { 'Content-Type': contentType },
      body,
    );
    assert.equal(refused.status, 400);
    assert.match(JSON.parse(refused.body).error, /part "image"/);
  });
});

describe('logs', () => {
  it('a game server sends missing keys, nested metadata, numbers, flags and an empty table', async () => {
    const batch = [
      { level: 'info', message: 'join', metadata: { player: { id: 7, admin: true }, items: [1, 2.5] } },
      { level: 'warn', message: 'lag', resource: 'bank', metadata: [] },
      { message: 'no level' },
      { level: 'critical' },
    ];
    const stored = await sendEntries('/api/logs/batch', {}, JSON.stringify(batch));
    assert.deepEqual(stored, ['info: join', 'warn: lag', 'info: no level', 'error: ']);
  });

  it('a script sends one object whose metadata is a JSON string', async () => {
    const body = '{"info":"error","message":"boom","metadata":"{\\"a\\":1}"}';
    assert.deepEqual(await sendEntries('/api/logs', {}, body), ['info: boom']);
  });

  it('a script sends JSON without a content type, or a form', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', ''])
      assert.deepEqual(await sendEntries('/api/logs', { 'Content-Type': type }, '{"message":"m"}'), [
        'info: m',
      ]);
  });

  it('a program offers HTTP/2', async () => {
    assert.deepEqual(await sendEntries('/api/logs', hopesForHttp2, '{"message":"m"}'), ['info: m']);
  });

  it('a logging library sends its own level names', async () => {
    const names = ['silly', 'verbose', 'http', 'warning', 'fatal'];
    const batch = names.map(level => ({
      level,
      message: level,
      timestamp: new Date().toISOString(),
      pid: 1,
    }));
    assert.deepEqual(await sendEntries('/api/logs', {}, JSON.stringify(batch)), [
      'debug: silly',
      'debug: verbose',
      'debug: http',
      'warn: warning',
      'error: fatal',
    ]);
  });

  it('a reporting session can send logs', async () => {
    const identity = 'sdkType=server_b&universeId=1&jobId=2';
    const { token } = await take(`POST /api/sdk/report?${identity}`, { Authorization: book.token });
    const own = { Authorization: String(token) };
    assert.deepEqual(await sendEntries('/api/logs', own, '{"message":"m"}'), ['info: m']);
    for (const path of ['/api/image', '/api/v2/video'])
      assert.equal((await send(`POST ${path}`, own)).status, 403);
    assert.equal((await send('GET /api/presigned-url?fileType=image', own)).status, 403);
  });
});

describe('browser pages', () => {
  for (const path of ['/api/image', '/api/v2/image', '/api/logs', '/api/logs/batch']) {
    it(`can send Authorization to ${path} after a preflight`, async () => {
      const preflight = await send(`OPTIONS ${path}`, {
        Origin: 'https://nui-phone',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,x-brand-dataset',
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      assert.match(
        preflight.headers['access-control-allow-headers'] ?? '',
        /authorization.+x-brand-dataset/i,
      );
    });
  }

  it('can read an error, too', async () => {
    const { status, headers: answered } = await send('POST /api/v2/image', { Origin: 'https://nui-phone' });
    assert.deepEqual([status, answered['access-control-allow-origin']], [401, '*']);
  });
});
