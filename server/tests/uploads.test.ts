/** Uploads in every form: what is taken, what becomes of the fields, what is refused, and in which order. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { describeRefusal } from './client.ts';
import { makeSamples } from './samples/generator.ts';
import { startTestService } from './service.ts';
import {
  composeForm,
  type FormEntry,
  formOf,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUploaded,
  sendForm,
  uploadFile,
} from './uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '1MiB' },
});
after(() => service[Symbol.asyncDispose]());

const picture = await makePicture(8, 6);
const sound = makeSound();
const movie = (await makeSamples([{ file: 'movie.mp4', make: '' }])).get('movie.mp4')!;
const authorization = mediaToken;

const post = (route: string, headers: Record<string, string>, body: RequestInit['body'] = '') =>
  service.fetch(route, { method: 'POST', headers: { authorization, ...headers }, body: body ?? '' });
const postJson = (body: unknown) =>
  post('/api/v3/file/base64', { 'content-type': 'application/json' }, JSON.stringify(body));
const postText = (query: string, body: string) =>
  post(`/api/v3/file${query}`, { 'content-type': 'text/plain' }, body);

test('a multipart upload answers id, url and originalUrl, and the bytes are read back as they were', async () => {
  const response = await sendForm(service, formOf(picture));
  const answer = (await response.json()) as { data: Record<string, string>; status: string };
  assert.equal(response.status, 200);
  assert.deepEqual(Object.keys(answer).sort(), ['data', 'status']);
  assert.equal(answer.status, 'ok');
  assert.deepEqual(Object.keys(answer.data).sort(), ['id', 'originalUrl', 'url']);
  assert.match(answer.data.id!, /^[0-9A-Za-z]{20}$/);
  assert.equal(answer.data.url, answer.data.originalUrl);
  const read = await service.fetch(pathOf(answer.data.url!));
  assert.deepEqual(Buffer.from(await read.arrayBuffer()), picture);
});

describe('what a record says', () => {
  test('all fields of an image', async () => {
    const { id, url } = await uploadFile(service, picture, {
      filename: 'Zwölf Äpfel.jpeg',
      path: 'shots/2024/',
      metadata: '{"a":{"b":[1,null]},"c":"ü"}',
      retentionExempt: 'TRUE',
    });
    const record = await readRecord(service, id);
    const key = `shots/2024/Zwölf Äpfel-${id}.png`;
    const { createdAt, ...rest } = record;
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const expected = {
      ...{ id, key, url, originalUrl: url, filename: 'Zwölf Äpfel.jpeg', path: 'shots/2024' },
      metadata: { a: { b: [1, null] }, c: 'ü' },
      ...{ size: picture.length, type: 'image', mimeType: 'image/png', retentionExempt: true },
      ...{ width: 8, height: 6 },
    };
    assert.deepEqual(rest, expected);
    assert.ok(url.endsWith(`/media/default/shots/2024/Zw%C3%B6lf%20%C3%84pfel-${id}.png`), url);
  });

  test('a sound has a duration and no size in pixels', async () => {
    const { id } = await uploadFile(service, sound);
    const { type, mimeType, durationSeconds, width } = await readRecord(service, id);
    assert.deepEqual(
      { type, mimeType, durationSeconds },
      { type: 'audio', mimeType: 'audio/wav', durationSeconds: 1 },
    );
    assert.equal(width, undefined);
  });

  test('a movie has both', async () => {
    const { id } = await uploadFile(service, movie);
    const { type, mimeType, durationSeconds, width, height } = await readRecord(service, id);
    assert.deepEqual(
      { type, mimeType, width, height },
      { type: 'video', mimeType: 'video/mp4', width: 64, height: 48 },
    );
    assert.ok(Math.abs(Number(durationSeconds) - 1) < 0.25);
  });

  test('without a name it is called by its id, and metadata is {}', async () => {
    const { id } = await uploadFile(service, picture, {}, {});
    const response = await sendForm(service, composeForm([['file', { bytes: picture, filename: '' }]]));
    const unnamed = await readRecord(service, (await readUploaded(response)).id);
    assert.equal(unnamed.filename, `${unnamed.id}.png`);
    assert.equal(unnamed.key, `${unnamed.id}.png`);
    assert.deepEqual(unnamed.metadata, {});
    assert.equal((await readRecord(service, id)).retentionExempt, false);
  });
});

const file = (bytes: Uint8Array = picture, filename = 'own.png') => ({ bytes, filename });
const nameRows: [string, FormEntry[], Record<string, unknown>][] = [
  ['the part’s own file name is used', [['file', file()]], { filename: 'own.png' }],
  [
    'the field wins over it',
    [
      ['filename', 'given'],
      ['file', file()],
    ],
    { filename: 'given' },
  ],
  [
    'an empty field is an absent one',
    [
      ['filename', ''],
      ['file', file()],
    ],
    { filename: 'own.png' },
  ],
  [
    'fields may come after the file',
    [
      ['file', file()],
      ['filename', 'late'],
      ['path', 'p/q'],
    ],
    { filename: 'late', path: 'p/q' },
  ],
  ['the part may have any name', [['whatever', file()]], { filename: 'own.png' }],
  [
    'an empty path is none',
    [
      ['path', ''],
      ['file', file()],
    ],
    { path: '' },
  ],
  [
    'empty metadata is none',
    [
      ['metadata', ''],
      ['file', file()],
    ],
    { metadata: {} },
  ],
  [
    'unknown fields are ignored',
    [
      ['tags', 'x'],
      ['file', file()],
      ['apiKey', 'y'],
    ],
    { filename: 'own.png' },
  ],
  [
    'the flag is spelt with an underscore, too',
    [
      ['retention_exempt', 'true'],
      ['file', file()],
    ],
    { retentionExempt: true },
  ],
  [
    'a path is kept in NFC',
    [
      ['path', 'u\u0308ber'],
      ['file', file()],
    ],
    { path: '\u00fcber' },
  ],
  [
    'a NUL in a name is replaced',
    [
      ['filename', 'a\0b'],
      ['file', file()],
    ],
    { filename: 'a_b' },
  ],
];
describe('fields of a form', () => {
  for (const [title, entries, expected] of nameRows) {
    test(title, async () => {
      const { id } = await readUploaded(await sendForm(service, composeForm(entries)));
      const record = await readRecord(service, id);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map(name => [name, record[name]])), expected);
    });
  }
});

const stemRows: [string, string][] = [
  ['a/b\\c', 'a_b_c'],
  ['tab\there', 'tab_here'],
  ['..', ''],
  ['.hidden.png', 'hidden'],
  ['x%2Fy', 'x%2Fy'],
  ['50% #1?&=+', '50% #1?&=+'],
  ['日本語.webp', '日本語'],
];
describe('storage keys', () => {
  for (const [filename, stem] of stemRows) {
    test(`${JSON.stringify(filename)} becomes ${JSON.stringify(stem)}, and its URL is read`, async () => {
      const { id, url } = await uploadFile(service, picture, { filename, path: 'odd %25/a+b' });
      const { key } = await readRecord(service, id);
      assert.equal(key, `odd %25/a+b/${stem === '' ? '' : `${stem}-`}${id}.png`);
      assert.equal((await service.fetch(pathOf(url))).status, 200, url);
      assert.equal((await readRecord(service, key)).id, id);
    });
  }
});

describe('base64 in JSON', () => {
  const plain = picture.toString('base64');
  const rows: [string, object, Record<string, unknown>][] = [
    ['plain', { base64: plain }, { size: picture.length }],
    ['base64url', { base64: picture.toString('base64url') }, { size: picture.length }],
    [
      'a data URL whose type is wrong',
      { base64: `data:video/mp4;base64,${plain}` },
      { mimeType: 'image/png' },
    ],
    ['white space', { base64: plain.replaceAll(/(.{20})/g, '$1\r\n ') }, { size: picture.length }],
    ['metadata as an object', { base64: plain, metadata: { a: [1] } }, { metadata: { a: [1] } }],
    ['metadata as text', { metadata: '{"a":2}', base64: plain }, { metadata: { a: 2 } }],
    [
      'all fields',
      { base64: plain, filename: 'n', path: 'p', retentionExempt: true },
      { filename: 'n', path: 'p', retentionExempt: true },
    ],
    ['the flag as text', { base64: plain, retentionExempt: 'true' }, { retentionExempt: true }],
    [
      'null fields',
      { base64: plain, filename: null, path: null, metadata: null, retentionExempt: null },
      { path: '' },
    ],
    ['unknown keys', { base64: plain, more: { base64: 'x' } }, { size: picture.length }],
  ];
  for (const [title, body, expected] of rows) {
    test(title, async () => {
      const record = await readRecord(service, (await readUploaded(await postJson(body))).id);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map(name => [name, record[name]])), expected);
    });
  }
  const refusals: [string, unknown, string][] = [
    ['no file', {}, '400 file_missing'],
    ['an empty file', { base64: '' }, '415 unsupported_media'],
    ['a file that is a number', { base64: 5 }, '400 invalid_field'],
    ['text that is no base64', { base64: '!!!!' }, '400 base64_invalid'],
    ['a path that is a number', { base64: plain, path: 5 }, '400 invalid_field'],
    ['a name that is an object', { base64: plain, filename: {} }, '400 invalid_field'],
    ['metadata that is a list', { base64: plain, metadata: [] }, '400 metadata_invalid'],
    ['metadata that is a flag', { base64: plain, metadata: true }, '400 invalid_field'],
    ['a flag that is a number', { base64: plain, retentionExempt: 1 }, '400 invalid_field'],
    ['a list', [plain], '400 invalid_field'],
  ];
  for (const [title, body, expected] of refusals) {
    test(`${title} is ${expected}`, async () =>
      assert.equal(await describeRefusal(await postJson(body)), expected));
  }
  test('what is no JSON is 400', async () => {
    const response = await post(
      '/api/v3/file/base64',
      { 'content-type': 'application/json' },
      '{"base64":"iVBO',
    );
    assert.equal(await describeRefusal(response), '400 invalid_json');
  });
});

describe('base64 as text', () => {
  test('fields stand in the query', async () => {
    const query = `?filename=a.gif&path=t%2Fu&metadata=${encodeURIComponent('{"k":"v"}')}&retentionExempt=true`;
    const { id } = await readUploaded(
      await postText(query, `data:image/png;base64,${picture.toString('base64')}`),
    );
    const { filename, path, metadata, retentionExempt } = await readRecord(service, id);
    assert.deepEqual(
      { filename, path, metadata, retentionExempt },
      { filename: 'a.gif', path: 't/u', metadata: { k: 'v' }, retentionExempt: true },
    );
  });
  test('plain base64, with a charset', async () => {
    const body = picture.toString('base64');
    await readUploaded(await post('/api/v3/file', { 'content-type': 'text/plain; charset=utf-8' }, body));
  });
  test('a bad path in the query is 400', async () => {
    assert.equal(
      await describeRefusal(await postText('?path=..', picture.toString('base64'))),
      '400 path_invalid',
    );
  });
});

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
describe('paths that are refused', () => {
  for (const path of badPaths) {
    test(JSON.stringify(path.slice(0, 40)), async () => {
      assert.equal(
        await describeRefusal(await sendForm(service, formOf(picture, { path }))),
        '400 path_invalid',
      );
    });
  }
  test('sixteen folders of 512 bytes together are fine', async () => {
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
  ['a number beyond all', '{"a":1e999}'],
  ['65 keys', keys(65)],
  ['more than 16 KiB', JSON.stringify({ a: 'x'.repeat(16 * 1024) })],
  ['__proto__', '{"__proto__":{"x":1}}'],
  ['depth', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
];
describe('metadata that is refused', () => {
  for (const [title, metadata] of badMetadata) {
    test(title, async () => {
      assert.equal(
        await describeRefusal(await sendForm(service, formOf(picture, { metadata }))),
        '400 metadata_invalid',
      );
    });
  }
  test('64 keys of 16 KiB together are fine, inner keys do not count', async () => {
    const frame = Buffer.byteLength(JSON.stringify({ ...JSON.parse(keys(63)), a: '' }));
    const metadata = JSON.stringify({ ...JSON.parse(keys(63)), a: 'x'.repeat(16 * 1024 - frame) });
    assert.equal(Buffer.byteLength(metadata), 16 * 1024);
    await uploadFile(service, picture, { metadata });
    await uploadFile(service, picture, { metadata: `{"inner":${keys(200)}}` });
  });
  test('eight thousand leaves are fine', async () => {
    const metadata = `{"a":[${Array(8180).fill(1).join(',')}]}`;
    const { id } = await uploadFile(service, picture, { metadata });
    assert.equal(Array.isArray((await readRecord(service, id)).metadata.a), true);
  });
});

const broad = Buffer.concat([picture, Buffer.alloc(1024 * 1024)]);
const junk = (bytes: number) => Buffer.alloc(bytes, 'junk');
const refusalRows: [string, () => Promise<Response>, string][] = [
  [
    'no content type',
    () => service.fetch('/api/v3/file', { method: 'POST', headers: { authorization } }),
    '415 unsupported_content_type',
  ],
  [
    'a raw picture',
    () => post('/api/v3/file', { 'content-type': 'image/png' }, new Uint8Array(picture)),
    '415 unsupported_content_type',
  ],
  [
    'JSON on the route for forms',
    () => post('/api/v3/file', { 'content-type': 'application/json' }, '{}'),
    '415 unsupported_content_type',
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
    'a flag that is neither',
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
    'what only begins like a GIF',
    () => sendForm(service, formOf(Buffer.from('GIF89a;alert(1)//------------------'))),
    '415 unsupported_media',
  ],
  [
    'SVG',
    () => sendForm(service, formOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))),
    '415 unsupported_media',
  ],
  [
    'a byte more than the limit',
    () => sendForm(service, formOf(broad.subarray(0, 1024 * 1024 + 1))),
    '413 file_too_large',
  ],
  [
    'a byte more in base64',
    () => postJson({ base64: broad.subarray(0, 1024 * 1024 + 1).toString('base64') }),
    '413 file_too_large',
  ],
  [
    'a byte more as text',
    () => postText('', broad.subarray(0, 1024 * 1024 + 1).toString('base64')),
    '413 file_too_large',
  ],
  [
    'far more, by Content-Length',
    () => sendForm(service, formOf(junk(4 * 1024 * 1024))),
    '413 file_too_large',
  ],
  // The order: 413, then 415, then 400.
  [
    'too large and of no format',
    () => sendForm(service, formOf(junk(1024 * 1024 + 1))),
    '413 file_too_large',
  ],
  [
    'too large and of no format, in base64',
    () => postJson({ base64: junk(1024 * 1024 + 1).toString('base64') }),
    '413 file_too_large',
  ],
  [
    'too large and of no format, as text',
    () => postText('', junk(1024 * 1024 + 1).toString('base64')),
    '413 file_too_large',
  ],
  [
    'too large in a wrong content type',
    () => post('/api/v3/file', { 'content-type': 'image/png' }, new Uint8Array(junk(4 * 1024 * 1024))),
    '413 file_too_large',
  ],
  ['too large with a bad path', () => sendForm(service, formOf(broad, { path: '..' })), '413 file_too_large'],
  [
    'of no format with a bad path',
    () => sendForm(service, formOf(junk(100), { path: '..' })),
    '415 unsupported_media',
  ],
  [
    'of a broken structure with bad metadata',
    () => sendForm(service, formOf(Buffer.from('GIF89a;alert(1)//-------'), { metadata: '[' })),
    '415 unsupported_media',
  ],
  [
    'no token and far too large',
    () => sendForm(service, formOf(junk(4 * 1024 * 1024)), { token: '' }),
    '401 token_missing',
  ],
];
describe('uploads that are refused', () => {
  for (const [title, send, expected] of refusalRows) {
    test(`${title}: ${expected}`, async () => assert.equal(await describeRefusal(await send()), expected));
  }
});

test('a file of just the limit is taken in every form', async () => {
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

describe('the key in the query', () => {
  const withKey = (route: string, init: RequestInit = {}) =>
    service.fetch(`${route}${route.includes('?') ? '&' : '?'}apiKey=${mediaToken}`, init);
  test('opens uploads', async () => {
    assert.equal((await withKey('/api/v3/file', { method: 'POST', body: formOf(picture) })).status, 200);
    const body = JSON.stringify({ base64: picture.toString('base64') });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await withKey('/api/v3/file/base64', { method: 'POST', body, headers })).status, 200);
  });
  test('opens nothing else', async () => {
    for (const route of ['/api/v3/file', '/api/v3/file/xxxxxxxxxxxxxxxxxxxx', '/api/v3/file/presigned-url'])
      assert.equal(await describeRefusal(await withKey(route)), '401 token_missing', route);
    assert.equal(
      await describeRefusal(await withKey('/api/v3/file/xxxxxxxxxxxxxxxxxxxx', { method: 'DELETE' })),
      '401 token_missing',
    );
  });
  test('gives way to the header', async () => {
    const init = { method: 'POST', body: formOf(picture), headers: { authorization: 'x'.repeat(32) } };
    assert.equal(await describeRefusal(await withKey('/api/v3/file', init)), '401 token_unknown');
  });
});
