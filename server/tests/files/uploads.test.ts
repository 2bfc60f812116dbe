/** Uploads in every form: accepted types, the form's fields, refusals, and the order of checks. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { makeSamples } from '@tapedeck/media-facts/samples';
import { describeRefusal } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import {
  composeForm,
  type FormEntry,
  formOf,
  makePicture,
  makePoster,
  makeSound,
  mediaEnvironment,
  pathOf,
  readRecord,
  readUploaded,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '1MiB' },
});
after(() => service[Symbol.asyncDispose]());

const picture = await makePicture(8, 6);
const sound = makeSound();
const movie = (await makeSamples([{ file: 'movie.mp4', make: '' }])).get('movie.mp4')!;
const { post, postJson, postText } = makePoster(service);

test('a multipart upload returns id, url and originalUrl, and the bytes are unchanged', async () => {
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

describe('fields of a record', () => {
  test('an image has all fields', async () => {
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
      id,
      key,
      url,
      originalUrl: url,
      filename: 'Zwölf Äpfel.jpeg',
      path: 'shots/2024',
      metadata: { a: { b: [1, null] }, c: 'ü' },
      size: picture.length,
      type: 'image',
      mimeType: 'image/png',
      retentionExempt: true,
      width: 8,
      height: 6,
      visibility: 'public',
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

  test('a video has both', async () => {
    const { id } = await uploadFile(service, movie);
    const { type, mimeType, durationSeconds, width, height } = await readRecord(service, id);
    assert.deepEqual(
      { type, mimeType, width, height },
      { type: 'video', mimeType: 'video/mp4', width: 64, height: 48 },
    );
    assert.ok(Math.abs(Number(durationSeconds) - 1) < 0.25);
  });

  test('an unnamed file is named after its id, and metadata is {}', async () => {
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
  ['the part’s own filename is used', [['file', file()]], { filename: 'own.png' }],
  [
    'the field overrides it',
    [
      ['filename', 'given'],
      ['file', file()],
    ],
    { filename: 'given' },
  ],
  [
    'an empty field counts as absent',
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
    'an empty path counts as absent',
    [
      ['path', ''],
      ['file', file()],
    ],
    { path: '' },
  ],
  [
    'empty metadata counts as absent',
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
    'the flag may be spelt with an underscore',
    [
      ['retention_exempt', 'true'],
      ['file', file()],
    ],
    { retentionExempt: true },
  ],
  [
    'a path is stored in NFC',
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
    test(`${JSON.stringify(filename)} becomes ${JSON.stringify(stem)}, and its URL works`, async () => {
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
    ['a data URL with a wrong type', { base64: `data:video/mp4;base64,${plain}` }, { mimeType: 'image/png' }],
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
    ['text that is not base64', { base64: '!!!!' }, '400 base64_invalid'],
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
  test('returns 400 for invalid JSON', async () => {
    const response = await post(
      '/api/v3/file/base64',
      { 'content-type': 'application/json' },
      '{"base64":"iVBO',
    );
    assert.equal(await describeRefusal(response), '400 invalid_json');
  });
});

describe('base64 as text', () => {
  test('fields are in the query', async () => {
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
  test('returns 400 for a bad path in the query', async () => {
    assert.equal(
      await describeRefusal(await postText('?path=..', picture.toString('base64'))),
      '400 path_invalid',
    );
  });
});
