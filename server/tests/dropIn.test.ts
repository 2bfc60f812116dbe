/** Requests as clients in the field send them, byte by byte: with a changed base URL and nothing else, each is served. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { formType, type Headers, makeSender, writeForm } from './fieldRequests.ts';
import { addPerson, addToken } from './people.ts';
import { smallPng } from './samples/smallMedia.ts';
import { startTestService } from './service.ts';
import { openLogBook, summarise } from './storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: media } = await addToken(owner);
const book = await openLogBook(service);

const { send, take } = makeSender(service);

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
