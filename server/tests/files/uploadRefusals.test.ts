/** Uploads that are refused, and the limits on accepted ones. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import {
  composeForm,
  formOf,
  makePicture,
  makePoster,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUploaded,
  sendForm,
  uploadFile,
  uploadRoute,
} from '../support/uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '1MiB' },
});
after(() => service[Symbol.asyncDispose]());

const picture = await makePicture(8, 6);
const file = (bytes: Uint8Array = picture, filename = 'own.png') => ({ bytes, filename });
const { post, postJson, postText } = makePoster(service);

const badPaths = [
  '..',
  'a/../b',
  './a',
  'a//b',
  '/a',
  'a\\b',
  'a\0b',
  'a\nb',
  '%2e%2e/a',
  'a%2fb',
  '%252e%252e',
  '．．',
  'a／b',
  'base64',
  'presigned-url/x',
  Array(17).fill('a').join('/'),
  'a'.repeat(513),
  'ü'.repeat(257),
];
describe('rejects paths', () => {
  for (const path of badPaths) {
    test(JSON.stringify(path.slice(0, 40)), async () => {
      assert.equal(
        await describeRefusal(await sendForm(service, formOf(picture, { path }))),
        '400 path_invalid',
      );
    });
  }
  const notUtf8 = Buffer.from('caf\xe9', 'latin1');
  const form = () =>
    Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="path"\r\n\r\n'),
      notUtf8,
      Buffer.from('\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
      picture,
      Buffer.from('\r\n--x--\r\n'),
    ]);
  const notText: [title: string, at: string, init: RequestInit][] = [
    [
      'of a form',
      uploadRoute,
      { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: form() },
    ],
    ['in the query', `${uploadRoute}?path=caf%e9`, { method: 'PUT', body: new Uint8Array(picture) }],
    ['of a presigned URL', `${uploadRoute}/presigned-url?path=caf%e9`, {}],
  ];
  for (const [title, at, init] of notText)
    test(`that are not UTF-8, ${title}`, async () => {
      const headers = { authorization: mediaToken, ...init.headers };
      assert.equal(await describeRefusal(await service.fetch(at, { ...init, headers })), '400 path_invalid');
    });
  test('accepts sixteen folders of 512 bytes together', async () => {
    const path = [...Array(15).fill('a'), 'b'.repeat(482)].join('/');
    assert.equal(path.length, 512);
    await uploadFile(service, picture, { path });
  });
});

const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index])));
const badMetadata: [string, string][] = [
  ['no JSON', '{'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['null', 'null'],
  ['NaN', '{"a":NaN}'],
  ['a number out of range', '{"a":1e999}'],
  ['65 keys', keys(65)],
  ['more than 16 KiB', JSON.stringify({ a: 'x'.repeat(16 * 1024) })],
  ['__proto__', '{"__proto__":{"x":1}}'],
  ['depth', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
];
describe('rejects metadata', () => {
  for (const [title, metadata] of badMetadata) {
    test(title, async () => {
      assert.equal(
        await describeRefusal(await sendForm(service, formOf(picture, { metadata }))),
        '400 metadata_invalid',
      );
    });
  }
  test('accepts 64 keys of 16 KiB together, not counting nested keys', async () => {
    const frame = Buffer.byteLength(JSON.stringify({ ...JSON.parse(keys(63)), a: '' }));
    const metadata = JSON.stringify({ ...JSON.parse(keys(63)), a: 'x'.repeat(16 * 1024 - frame) });
    assert.equal(Buffer.byteLength(metadata), 16 * 1024);
    await uploadFile(service, picture, { metadata });
    await uploadFile(service, picture, { metadata: `{"inner":${keys(200)}}` });
  });
  test('accepts eight thousand leaves', async () => {
    const metadata = `{"a":[${Array(8180).fill(1).join(',')}]}`;
    const { id } = await uploadFile(service, picture, { metadata });
    assert.equal(Array.isArray((await readRecord(service, id)).metadata.a), true);
  });
});

const broad = Buffer.concat([picture, Buffer.alloc(1024 * 1024)]);
const junk = (bytes: number) => Buffer.alloc(bytes, 'junk');
const headOfForm = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
const refusalRows: [string, () => Promise<Response>, string][] = [
  [
    'a truncated form',
    () => post('/api/v3/file', { 'content-type': 'multipart/form-data; boundary=x' }, `${headOfForm}abc`),
    '400 multipart_broken',
  ],
  [
    'a form on the route for JSON',
    () => sendForm(service, formOf(picture), { route: '/api/v3/file/base64' }),
    '415 unsupported_content_type',
  ],
  [
    'a compressed body',
    () => post('/api/v3/file', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, 'x'),
    '415 unsupported_content_type',
  ],
  [
    'a compressed JSON body',
    () => post('/api/v3/file/base64', { 'content-type': 'application/json', 'content-encoding': 'br' }, 'x'),
    '415 unsupported_content_type',
  ],
  ['no file', () => sendForm(service, composeForm([['filename', 'x']])), '400 file_missing'],
  [
    'two files',
    () =>
      sendForm(
        service,
        composeForm([
          ['file', file()],
          ['other', file()],
        ]),
      ),
    '400 bad_request',
  ],
  [
    'the same field twice',
    () =>
      sendForm(
        service,
        composeForm([
          ['path', 'a'],
          ['path', 'b'],
          ['file', file()],
        ]),
      ),
    '400 invalid_field',
  ],
  [
    'an invalid flag',
    () => sendForm(service, formOf(picture, { retentionExempt: 'yes' })),
    '400 invalid_field',
  ],
  ['an empty file', () => sendForm(service, formOf(Buffer.alloc(0))), '415 unsupported_media'],
  [
    'text',
    () => sendForm(service, formOf(Buffer.from('hello, this is text'), {}, 'x.png')),
    '415 unsupported_media',
  ],
  [
    'bytes that only begin like a GIF',
    () => sendForm(service, formOf(Buffer.from('GIF89a;alert(1)//------------------'))),
    '415 unsupported_media',
  ],
  [
    'SVG',
    () => sendForm(service, formOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))),
    '415 unsupported_media',
  ],
  [
    'one byte over the limit',
    () => sendForm(service, formOf(broad.subarray(0, 1024 * 1024 + 1))),
    '413 file_too_large',
  ],
  [
    'one byte over, in base64',
    () => postJson({ base64: broad.subarray(0, 1024 * 1024 + 1).toString('base64') }),
    '413 file_too_large',
  ],
  [
    'one byte over, as text',
    () => postText('', broad.subarray(0, 1024 * 1024 + 1).toString('base64')),
    '413 file_too_large',
  ],
  [
    'far over, by Content-Length',
    () => sendForm(service, formOf(junk(4 * 1024 * 1024))),
    '413 file_too_large',
  ],
  // The order of checks: 413, then 415, then 400.
  [
    'too large and of an unknown format',
    () => sendForm(service, formOf(junk(1024 * 1024 + 1))),
    '413 file_too_large',
  ],
  [
    'too large and of an unknown format, in base64',
    () => postJson({ base64: junk(1024 * 1024 + 1).toString('base64') }),
    '413 file_too_large',
  ],
  [
    'too large and of an unknown format, as text',
    () => postText('', junk(1024 * 1024 + 1).toString('base64')),
    '413 file_too_large',
  ],
  ['too large with a bad path', () => sendForm(service, formOf(broad, { path: '..' })), '413 file_too_large'],
  [
    'of an unknown format with a bad path',
    () => sendForm(service, formOf(junk(100), { path: '..' })),
    '415 unsupported_media',
  ],
  [
    'malformed with bad metadata',
    () => sendForm(service, formOf(Buffer.from('GIF89a;alert(1)//-------'), { metadata: '[' })),
    '415 unsupported_media',
  ],
  [
    'no token and far too large',
    () => sendForm(service, formOf(junk(4 * 1024 * 1024)), { token: '' }),
    '401 token_missing',
  ],
];
describe('rejects uploads', () => {
  for (const [title, send, expected] of refusalRows) {
    test(`${title}: ${expected}`, async () => assert.equal(await describeRefusal(await send()), expected));
  }
});

test('accepts a file of exactly the limit in every form', async () => {
  const bytes = broad.subarray(0, 1024 * 1024);
  const ids = [
    await uploadFile(service, bytes),
    await readUploaded(await postJson({ base64: bytes.toString('base64') })),
    await readUploaded(await postText('', bytes.toString('base64'))),
  ].map(({ url }) => url);
  for (const url of ids) {
    const read = Buffer.from(await (await service.fetch(pathOf(url))).arrayBuffer());
    assert.equal(
      createHash('sha256').update(read).digest('hex'),
      createHash('sha256').update(bytes).digest('hex'),
    );
  }
});

describe('the token in the query', () => {
  const withKey = (route: string, init: RequestInit = {}) =>
    service.fetch(`${route}${route.includes('?') ? '&' : '?'}apiKey=${mediaToken}`, init);
  test('allows uploads', async () => {
    assert.equal((await withKey('/api/v3/file', { method: 'POST', body: formOf(picture) })).status, 200);
    const body = JSON.stringify({ base64: picture.toString('base64') });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await withKey('/api/v3/file/base64', { method: 'POST', body, headers })).status, 200);
  });
  test('allows nothing else', async () => {
    for (const route of ['/api/v3/file', '/api/v3/file/xxxxxxxxxxxxxxxxxxxx', '/api/v3/file/presigned-url'])
      assert.equal(await describeRefusal(await withKey(route)), '401 token_missing', route);
    assert.equal(
      await describeRefusal(await withKey('/api/v3/file/xxxxxxxxxxxxxxxxxxxx', { method: 'DELETE' })),
      '401 token_missing',
    );
  });
  test('is overridden by the header', async () => {
    const init = { method: 'POST', body: formOf(picture), headers: { authorization: 'x'.repeat(32) } };
    assert.equal(await describeRefusal(await withKey('/api/v3/file', init)), '401 token_unknown');
  });
});
