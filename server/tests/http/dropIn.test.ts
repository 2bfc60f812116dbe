/** Uploads byte by byte as widely used clients send them: each works with only the base URL changed. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { type Headers, hopesForHttp2, makeSender, readJson, writeForm } from '../support/fieldRequests.ts';
import { formWriters } from '../support/multipartForms.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: media } = await addToken(owner);
const book = await openLogBook(service);
const { send, sendInChunks, take, takeFile } = makeSender(service);
const headers: Headers = { Authorization: media };
const dataUrl = `data:image/jpeg;base64,${smallPng.toString('base64')}`;

describe('forms', () => {
  for (const by of formWriters) {
    it(`of ${by} are accepted`, async () => {
      const fields = { metadata: '{"a":1}', path: 'shots/today', retentionExempt: 'True' };
      const { data } = await takeFile('POST /api/v3/file', {
        by,
        headers,
        fields,
        part: 'file',
        filename: 'shot.png',
      });
      const record = await take(`GET /api/v3/file/${data?.id}`, headers);
      const { filename, metadata, path, retentionExempt } = record.data!;
      assert.deepEqual(
        { filename, metadata, path, retentionExempt },
        { filename: 'shot.png', metadata: { a: 1 }, path: 'shots/today', retentionExempt: true },
      );
    });
  }

  for (const part of ['file', 'image', 'files[]', 'recording', 'upload[file]', '']) {
    it(`may name their file "${part}"`, async () => {
      const { data } = await takeFile('POST /api/v3/file', { headers, part, filename: 'screenshot.jpg' });
      assert.match(String(data?.url), /\/screenshot-\w+\.png$/);
    });
  }

  it('in chunks are accepted', async () => {
    const { contentType, body } = writeForm({ part: 'file', filename: 'shot.png' });
    readJson(await sendInChunks('POST /api/v3/file', { ...headers, 'Content-Type': contentType }, body));
  });

  it('of a phone without headers use ?apiKey=', async () => {
    await takeFile(`POST /api/v3/file?apiKey=${media}`, { part: 'file', filename: 'selfie.webp' });
  });

  it('may use Expect', async () => {
    const expecting = { ...headers, Expect: '100-continue' };
    await takeFile('POST /api/v3/file', { headers: expecting, part: 'file', filename: 'shot.png' });
  });

  it('of a client that offers HTTP/2 are accepted, while a stream is open', async () => {
    const abort = new AbortController();
    const tail = await service.fetch('/api/v3/logs/tail', {
      headers: { authorization: book.token },
      signal: abort.signal,
    });
    assert.equal(tail.status, 200);
    const hoping = { ...headers, ...hopesForHttp2 };
    await takeFile('POST /api/v3/file', { headers: hoping, part: 'file', filename: 'shot.png' });
    const { contentType, body } = writeForm({
      by: 'a script in Lua, by hand',
      part: 'file',
      filename: 'shot.png',
    });
    readJson(await sendInChunks('POST /api/v3/file', { ...hoping, 'Content-Type': contentType }, body));
    abort.abort();
  });
});

describe('text', () => {
  it('a canvas sends its data URL', async () => {
    const text = { ...headers, 'Content-Type': 'text/plain;charset=UTF-8' };
    const answer = await take('POST /api/v3/file', text, dataUrl);
    assert.match(String(answer.data?.url), /\.png$/);
  });

  it('a script sends a data URL in JSON, with metadata as text', async () => {
    const json = { Authorization: `Bearer ${media}`, 'Content-Type': 'application/json' };
    await take('POST /api/v3/file/base64', json, JSON.stringify({ base64: dataUrl, metadata: '{"a":1}' }));
  });

  it('a game server sends missing names as null, and a flag as a flag', async () => {
    const json = { ...headers, 'Content-Type': 'application/json; charset=utf-8' };
    const body = {
      base64: dataUrl,
      filename: 'card.png',
      path: 'cards',
      metadata: { card: 1 },
      retentionExempt: false,
    };
    await take('POST /api/v3/file/base64', json, JSON.stringify(body));
  });
});

describe('paths', () => {
  const spelled = ['/api//v3/file', '//api/v3/file', '/api/v3/file/', '/api/v3//file/?limit=1'];
  for (const path of spelled) {
    it(`accepts ${path}`, async () => {
      await takeFile(`POST ${path}`, { headers, part: 'file', filename: 'shot.png' });
      assert.equal((await take(`GET ${path}`, headers)).status, 'ok');
      const preflight = await send(`OPTIONS ${path}`, { Origin: 'https://nui-phone' });
      assert.equal(preflight.status, 204);
    });
  }

  it('a client that always declares JSON deletes without a body', async () => {
    const json = { ...headers, 'Content-Type': 'application/json' };
    for (const more of [{}, { 'Content-Length': 0 }]) {
      const { data } = await takeFile('POST /api/v3/file', { headers, part: 'file', filename: 'shot.png' });
      const { message } = await take(`DELETE /api/v3/file/${data?.id}`, { ...json, ...more });
      assert.equal(message, 'File deleted.');
    }
  });
});

describe('presigned URLs', () => {
  it('a phone requests one with fileType, reads teamId and exp from the token, and uploads', async () => {
    const answer = await take('GET /api/v3/file/presigned-url?fileType=image', headers);
    const { pathname } = new URL(String(answer.data?.presignedUrl));
    const payload = JSON.parse(Buffer.from(pathname.split('.')[1] ?? '', 'base64').toString());
    assert.equal(payload.teamId, 'default');
    assert.ok(payload.exp * 1000 > Date.now());
    await takeFile(`POST ${pathname}`, {
      part: 'image',
      filename: 'selfie.png',
      fields: { retention_exempt: 'false' },
    });
  });
});

describe('browser pages', () => {
  it('send Authorization after a preflight', async () => {
    const origin = { Origin: 'https://nui-phone' };
    const preflight = await send('OPTIONS /api/v3/file', {
      ...origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    assert.match(preflight.headers['access-control-allow-methods'] ?? '', /POST/);
    assert.match(preflight.headers['access-control-allow-headers'] ?? '', /authorization/i);
    const { contentType, body } = writeForm({ part: 'file', filename: 'shot.png' });
    const answer = await send(
      'POST /api/v3/file',
      { ...headers, ...origin, 'Content-Type': contentType },
      body,
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
  });

  it('with ?apiKey= pass a preflight for their content type, and can read an error', async () => {
    const path = `/api/v3/logs?apiKey=${book.token}`;
    const asked = { Origin: 'https://nui-phone', 'Access-Control-Request-Headers': 'content-type' };
    assert.equal((await send(`OPTIONS ${path}`, asked)).status, 204);
    const answer = await send(`POST ${path}`, { 'Content-Type': 'application/json' }, '[]');
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [400, '*']);
  });

  it('a client that shows .error to its user finds a sentence there', async () => {
    const { contentType, body } = writeForm({ part: 'file', filename: 'shot.png' });
    const refused = await send('POST /api/v3/file', { 'Content-Type': contentType }, body);
    assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, '*']);
    assert.match(JSON.parse(refused.body).error, /^[A-Z].+\.$/);
  });
});
