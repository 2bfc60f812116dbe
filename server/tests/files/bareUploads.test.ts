/** Uploads whose body is the file, as `curl -T`, `curl --data-binary` and recorders send them: the bytes decide the type. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { describeRefusal } from '../support/client.ts';
import { talk } from '../support/rawHttp.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import {
  formOf,
  listTraces,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUploaded,
  readUsage,
  sendForm,
  type Uploaded,
} from '../support/uploading.ts';

const sizeBytesMax = 64 * 1024;
const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: String(sizeBytesMax) },
});
const folder = await makeDirectory();
after(() => Promise.all([service, folder].map(each => each[Symbol.asyncDispose]())));

const picture = await makePicture(8, 6);
const sound = makeSound();
const route = '/api/v3/file';
const methods = ['POST', 'PUT'];

type Sent = { method?: string; at?: string; body?: Uint8Array | string; headers?: Record<string, string> };

function send({ method = 'PUT', at = route, body = picture, headers = {} }: Sent = {}): Promise<Response> {
  // fetch would declare a type for a string.
  const bytes = new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body);
  return service.fetch(at, { method, body: bytes, headers: { authorization: mediaToken, ...headers } });
}

async function requireBytes({ url }: Uploaded, bytes: Uint8Array): Promise<void> {
  const read = await service.fetch(pathOf(url));
  assert.deepEqual(Buffer.from(await read.arrayBuffer()), Buffer.from(bytes));
}

describe('accepts any declared type', () => {
  const types = [
    'image/png',
    'audio/wav',
    'video/mp4; codecs="avc1"',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'application/json',
    'text/plain',
    'text/html; charset=utf-8',
    'none',
  ];
  for (const type of types) {
    test(type, async () => {
      for (const method of methods) {
        for (const body of [picture, sound]) {
          const stored = await readUploaded(await send({ method, body, headers: { 'content-type': type } }));
          await requireBytes(stored, body);
          const { mimeType } = await readRecord(service, stored.id);
          assert.equal(mimeType, body === picture ? 'image/png' : 'audio/wav');
        }
      }
    });
  }

  test('nothing at all, in one piece and in pieces of one byte', async () => {
    const head = `PUT ${route} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${mediaToken}\r\n`;
    const whole = Buffer.concat([Buffer.from(`${head}Content-Length: ${picture.length}\r\n\r\n`), picture]);
    const pieces = Array.from(picture, byte =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    const chunked = Buffer.concat([
      Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
      ...pieces,
      Buffer.from('0\r\n\r\n'),
    ]);
    for (const request of [whole, chunked]) {
      const { answers } = await talk(service.url, [request], { answersMax: 1 });
      assert.equal(answers[0]?.status, 200);
    }
  });
});

test('decodes text as base64, unless its bytes are those of a file', async () => {
  const body = `data:image/png;base64,${picture.toString('base64')}`;
  for (const method of methods)
    await requireBytes(
      await readUploaded(await send({ method, body, headers: { 'content-type': 'text/plain' } })),
      picture,
    );
});

test('the query sets the other fields', async () => {
  const query = new URLSearchParams({
    filename: 'Zwölf.png',
    path: 'shots/a',
    metadata: '{"player":7}',
    retentionExempt: 'true',
  });
  const { id } = await readUploaded(await send({ at: `${route}?${query}` }));
  const { filename, path: at, metadata, retentionExempt } = await readRecord(service, id);
  assert.deepEqual(
    { filename, at, metadata, retentionExempt },
    { filename: 'Zwölf.png', at: 'shots/a', metadata: { player: 7 }, retentionExempt: true },
  );
});

describe('a path after the route names the file', () => {
  const rows: [string, string, { filename?: string; path: string }][] = [
    ['a name', 'a%20b.png', { filename: 'a b.png', path: '' }],
    ['a name in folders', 'clips/day/a.png', { filename: 'a.png', path: 'clips/day' }],
    ['folders alone', 'clips/', { path: '' }],
    ['a name, and a folder in the query', 'a.png?path=x', { filename: 'a.png', path: 'x' }],
    ['both in the query', 'y/a.png?path=x&filename=b.png', { filename: 'b.png', path: 'x' }],
  ];
  for (const [title, at, expected] of rows) {
    test(title, async () => {
      const { id } = await readUploaded(await send({ at: `${route}/${at}` }));
      const { filename, path: folders } = await readRecord(service, id);
      if (title !== 'folders alone') assert.deepEqual({ filename, path: folders }, expected);
    });
  }
  test('accepts a form as well', async () => {
    const response = await sendForm(service, formOf(picture, {}, ''), {
      route: `${route}/clips/form.png`,
      method: 'PUT',
    });
    const { id } = await readUploaded(response);
    assert.equal((await readRecord(service, id)).path, 'clips');
  });
  test('rejects a path that leaves the folder', async () => {
    for (const at of ['%2e%2e%2fa.png', 'a%5Cb/c.png', 'base64/c.png'])
      assert.equal(await describeRefusal(await send({ at: `${route}/${at}` })), '400 path_invalid', at);
  });
});

describe('accepts the token in every form', () => {
  const basic = Buffer.from(`someone:${mediaToken}`).toString('base64');
  const rows: [string, Record<string, string>, string][] = [
    ['Bearer', { authorization: `Bearer ${mediaToken}` }, ''],
    ['the password of Basic authentication', { authorization: `Basic ${basic}` }, ''],
    ['apiKey', {}, `?apiKey=${mediaToken}`],
    ['X-API-Key', { 'x-api-key': mediaToken }, ''],
  ];
  for (const [title, headers, query] of rows) {
    test(title, async () => {
      for (const method of methods) {
        const init = { method, headers, body: new Uint8Array(picture) };
        await readUploaded(await service.fetch(`${route}${query}`, init));
      }
    });
  }
});

describe('a rejected upload leaves nothing behind', () => {
  const text = 'Dear service, please keep this letter as a picture.';
  const rows: [string, Sent, string][] = [
    ['text', { body: text }, '415 unsupported_media'],
    ['a few letters', { body: 'abc' }, '415 unsupported_media'],
    [
      'text declared as a picture',
      { body: text, headers: { 'content-type': 'image/png' } },
      '415 unsupported_media',
    ],
    [
      'bytes that only begin like a picture',
      { body: 'GIF89a;alert(1)//------------------' },
      '415 unsupported_media',
    ],
    ['nothing', { body: '' }, '400 file_missing'],
    [
      'a truncated form',
      { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      '400 multipart_broken',
    ],
    ['a compressed picture', { headers: { 'content-encoding': 'gzip' } }, '415 unsupported_content_type'],
    [
      'one byte too many',
      { body: Buffer.concat([picture, Buffer.alloc(sizeBytesMax + 1 - picture.length)]) },
      '413 file_too_large',
    ],
    ['far too many bytes', { body: Buffer.alloc(sizeBytesMax * 40) }, '413 file_too_large'],
    ['a bad folder', { at: `${route}?path=..` }, '400 path_invalid'],
    ['bad metadata', { at: `${route}?metadata=x` }, '400 metadata_invalid'],
    ['a bad flag', { at: `${route}?retentionExempt=x` }, '400 invalid_field'],
    ['an unknown token', { headers: { authorization: 'x'.repeat(32) } }, '401 token_unknown'],
  ];
  for (const [title, sent, expected] of rows) {
    test(`${title}: ${expected}`, async () => {
      const before = await readUsage(service);
      const { blobs } = await listTraces(service);
      for (const method of methods)
        for (const at of sent.at === undefined && method === 'PUT'
          ? [route, `${route}/a.png`]
          : [sent.at ?? route])
          assert.equal(
            await describeRefusal(await send({ ...sent, method, at })),
            expected,
            `${method} ${at}`,
          );
      assert.deepEqual(await readUsage(service), before);
      assert.deepEqual(await listTraces(service), { blobs, staging: [], open: [] });
    });
  }
  test('accepts a file of exactly the limit', async () => {
    const body = Buffer.concat([picture, Buffer.alloc(sizeBytesMax - picture.length)]);
    await requireBytes(await readUploaded(await send({ body })), body);
  });
});

describe('curl', () => {
  const file = path.join(folder.path, 'my shot.png');
  const run = promisify(execFile);
  const rows: [string, string[], string | null][] = [
    ['-T to the route', ['-T', file, `${service.url}${route}?filename=x.png`], 'x.png'],
    ['-T to a folder', ['-T', file, `${service.url}${route}/clips/`], 'my shot.png'],
    ['-T from a pipe', ['-T', '-', `${service.url}${route}`], null],
    ['--data-binary', ['--data-binary', `@${file}`, `${service.url}${route}`], null],
  ];
  for (const [title, args, expected] of rows) {
    test(title, async () => {
      await writeFile(file, picture);
      const running = run('curl', ['--silent', '-H', `Authorization: ${mediaToken}`, ...args]);
      running.child.stdin?.end(picture);
      const { stdout } = await running;
      // An upload result, or an error without `data`.
      const { data } = JSON.parse(stdout) as { data?: Uploaded };
      assert.ok(data, stdout);
      await requireBytes(data, picture);
      const { filename, id } = await readRecord(service, data.id);
      assert.equal(filename, expected ?? `${id}.png`);
    });
  }
});
