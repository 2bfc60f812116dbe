/** What may stand beside a file: folders, names, flags and metadata, with every disguise that was thought of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../../vocabulary.ts';
import { parseFolderPath } from './folderPath.ts';
import { encodeKey, makeStorageKey } from './storageKey.ts';
import { parseUploadFields } from './uploadFields.ts';

const show = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

describe('Folder paths', () => {
  const good: [text: string, path: string][] = [
    ['', ''],
    ['clips', 'clips'],
    ['clips/2024/', 'clips/2024'],
    ['a b/c+d', 'a b/c+d'],
    ['ゲーム/スクリーンショット', 'ゲーム/スクリーンショット'],
    ['снимки/été/🐈', 'снимки/été/🐈'],
    ['e\u0301te\u0301', 'été'],
    ['...', '...'],
    ['..a/a../.a/a.', '..a/a../.a/a.'],
    ['50% off', '50% off'],
    ['100%', '100%'],
    ['a%41', 'a%41'],
    ['caf%C3%A9', 'caf%C3%A9'],
    ['ＡＢＣ！', 'ＡＢＣ！'],
    ['a/base64', 'a/base64'],
    ['base64s', 'base64s'],
    ['a'.repeat(512), 'a'.repeat(512)],
    ['é'.repeat(256), 'é'.repeat(256)],
    [Array(16).fill('a').join('/'), Array(16).fill('a').join('/')],
    [`${Array(16).fill('a').join('/')}/`, Array(16).fill('a').join('/')],
  ];
  for (const [text, path] of good) {
    it(`${show(text)} is kept as ${show(path)}`, () => assert.equal(parseFolderPath(text), path));
  }

  const ways = [
    '..',
    '.',
    '../a',
    'a/..',
    'a/../b',
    'a/.',
    './a',
    '/a',
    '/',
    '//',
    'a//b',
    'a//',
    '\\',
    'a\\b',
    '..\\a',
  ];
  const disguises = [
    ...[
      '%2e%2e',
      '%2E%2e/a',
      '.%2e',
      '%2e',
      'a/%2e%2e/b',
      '%2fetc',
      '%2Fetc',
      'a%2fb',
      'a%2f..%2fb',
      '%5c',
      'a%5Cb',
      '..%5ca',
    ],
    ...[
      '%00',
      'a%00b',
      'a%0ab',
      'a%7f',
      '%252e%252e',
      '%25252e%25252e',
      '%252fetc',
      '%25%32%65%25%32%65',
      '%25255c',
    ],
    ...[
      '．．',
      '．',
      '．./a',
      '／etc',
      'a／b',
      '／／',
      '＼',
      'a＼b',
      '．．／a',
      '‥',
      '․․',
      '﹒﹒',
      '﹨',
      '℀',
      '%ef%bc%8e%ef%bc%8e',
    ],
    ...[
      '％2e％2e',
      '％２ｅ％２ｅ',
      '%EF%BC%8Fetc',
      '%u002e%u002e',
      '%uFF0E%uFF0E',
      '%c0%ae%c0%ae',
      '%c0%afetc',
      '%e0%80%ae',
      '%ff',
    ],
    ...[
      'a\0',
      '\0',
      'a\nb',
      'a\rb',
      '\x7f',
      '\x85',
      'a\u2028b',
      '\ud800',
      'a/ /b',
      ' ',
      '\u3000',
      ' .. ',
      '.. ',
      '\u00a0..',
    ],
    `%${'25'.repeat(40)}2e`,
  ];
  const limitsBroken = [
    'a'.repeat(513),
    'é'.repeat(257),
    Array(17).fill('a').join('/'),
    'base64',
    'base64/a',
    'presigned-url',
    'presigned-url/',
  ];
  for (const text of [...ways, ...disguises, ...limitsBroken]) {
    it(`${show(text)} is refused`, () =>
      assert.throws(() => parseFolderPath(text), { code: 'path_invalid' }));
  }
});

describe('Storage keys', () => {
  const fileId = '0123456789abcdefghiJ';
  const rows: [filename: string, key: string][] = [
    ['cat.png', `cat-${fileId}.webp`],
    ['', `${fileId}.webp`],
    ['cat', `cat-${fileId}.webp`],
    ['cat.tar.gz', `cat.tar-${fileId}.webp`],
    ['v1.2', `v1.2-${fileId}.webp`],
    ['song.mp3', `song-${fileId}.webp`],
    ['Mr. Smith', `Mr. Smith-${fileId}.webp`],
    ['.png', `${fileId}.webp`],
    ['.hidden.png', `hidden-${fileId}.webp`],
    ['..', `${fileId}.webp`],
    [' . ', `${fileId}.webp`],
    ['cat .png', `cat-${fileId}.webp`],
    ['../../etc/passwd', `_.._etc_passwd-${fileId}.webp`],
    ['C:\\fakepath\\cat.png', `C:_fakepath_cat-${fileId}.webp`],
    ['a\0b\nc\x7fd.png', `a_b_c_d-${fileId}.webp`],
    ['\u202egnp.exe', `_gnp-${fileId}.webp`],
    ['\ud800.png', `_-${fileId}.webp`],
    ['猫のビデオ.mp4', `猫のビデオ-${fileId}.webp`],
    ['e\u0301.png', `é-${fileId}.webp`],
    ['100% real? #1.png', `100% real? #1-${fileId}.webp`],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(200)}-${fileId}.webp`],
    [`${'猫'.repeat(90)}.png`, `${'猫'.repeat(66)}-${fileId}.webp`],
    [`${'x'.repeat(199)} 猫.png`, `${'x'.repeat(199)}-${fileId}.webp`],
    [`${'x'.repeat(198)}🐈.png`, `${'x'.repeat(198)}-${fileId}.webp`],
  ];
  for (const [filename, key] of rows) {
    it(`of ${show(filename)} is ${show(key)}`, () => {
      assert.equal(makeStorageKey({ path: '', filename, fileId, extension: '.webp' }), key);
      const inFolder = makeStorageKey({ path: 'a/b', filename, fileId, extension: '.webp' });
      assert.equal(inFolder, `a/b/${key}`);
      assert.equal(decodeURIComponent(encodeKey(inFolder)), inFolder);
      assert.match(encodeKey(inFolder), /^[A-Za-z0-9\-._~%/]+$/);
      assert.ok(Buffer.byteLength(key) <= 255);
    });
  }

  it('fit into the 1,024 bytes S3 allows, whatever project, path and name', () => {
    const key = makeStorageKey({
      path: 'é'.repeat(256),
      filename: '猫'.repeat(999),
      fileId,
      extension: '.weba',
    });
    assert.ok(Buffer.byteLength(`${'p'.repeat(64)}/${key}`) <= 1024);
  });
});

describe('Upload fields', () => {
  const none = { filename: '', path: '', metadata: {}, retentionExempt: false };
  const good: [title: string, raw: Record<string, unknown>, expected: Record<string, unknown>][] = [
    ['nothing', {}, {}],
    ['empty ones', { filename: '', path: '', metadata: '', retentionExempt: '' }, {}],
    ['null ones', { filename: null, path: null, metadata: null, retentionExempt: null }, {}],
    [
      'all',
      { filename: 'a.png', path: 'p/', metadata: '{"a":1}', retentionExempt: 'true' },
      { filename: 'a.png', path: 'p', metadata: { a: 1 }, retentionExempt: true },
    ],
    ['the other spelling', { retention_exempt: 'TRUE' }, { retentionExempt: true }],
    ['JSON flags', { retentionExempt: true }, { retentionExempt: true }],
    ['False', { retentionExempt: 'False' }, {}],
    [
      'metadata as an object',
      { metadata: { a: { b: [1, null, 'x'] } } },
      { metadata: { a: { b: [1, null, 'x'] } } },
    ],
    ['metadata of 64 keys', { metadata: JSON.stringify(keys(64)) }, { metadata: keys(64) }],
    ['metadata with more keys further down', { metadata: { a: keys(200) } }, { metadata: { a: keys(200) } }],
    [
      'metadata of 16 KiB',
      { metadata: text(limits.metadataBytesMax) },
      { metadata: JSON.parse(text(limits.metadataBytesMax)) },
    ],
    ['metadata 100 deep', { metadata: nested(100) }, { metadata: JSON.parse(nested(100)) }],
    ['keys twice, the last counts', { metadata: '{"a":1,"a":2}' }, { metadata: { a: 2 } }],
    [
      'hostile words',
      { metadata: '{"constructor":1,"toString":2,"hasOwnProperty":3}' },
      { metadata: { constructor: 1, toString: 2, hasOwnProperty: 3 } },
    ],
    ['a long name', { filename: 'x'.repeat(1024) }, { filename: 'x'.repeat(1024) }],
    ['unknown ones', { title: 'x', type: 3 }, {}],
    ['inherited ones', Object.create({ filename: 'evil' }), {}],
  ];
  for (const [title, raw, expected] of good) {
    it(`may be ${title}`, () => assert.deepEqual(parseUploadFields(raw), { ...none, ...expected }));
  }

  const bad: [title: string, raw: Record<string, unknown>, code: string][] = [
    ['a number as name', { filename: 1 }, 'invalid_field'],
    ['an array as path', { path: ['a'] }, 'invalid_field'],
    ['a number as metadata', { metadata: 1 }, 'invalid_field'],
    ['a flag as metadata', { metadata: true }, 'invalid_field'],
    ['a number as flag', { retentionExempt: 1 }, 'invalid_field'],
    ['yes as flag', { retentionExempt: 'yes' }, 'invalid_field'],
    ['an object as flag', { retentionExempt: {} }, 'invalid_field'],
    ['a name that is too long', { filename: 'é'.repeat(513) }, 'invalid_field'],
    ['a way out', { path: '../x' }, 'path_invalid'],
    ['an array as metadata', { metadata: [] }, 'metadata_invalid'],
    ['JSON text that is no object', { metadata: '[]' }, 'metadata_invalid'],
    ['JSON text that is null', { metadata: 'null' }, 'metadata_invalid'],
    ['a JSON string', { metadata: '"{}"' }, 'metadata_invalid'],
    ['no JSON', { metadata: '{a:1}' }, 'metadata_invalid'],
    ['NaN', { metadata: '{"a":NaN}' }, 'metadata_invalid'],
    ['a number without bound', { metadata: '{"a":[1e999]}' }, 'metadata_invalid'],
    ['65 keys', { metadata: JSON.stringify(keys(65)) }, 'metadata_invalid'],
    ['65 keys of an object', { metadata: keys(65) }, 'metadata_invalid'],
    ['a byte more than 16 KiB', { metadata: text(limits.metadataBytesMax + 1) }, 'metadata_invalid'],
    [
      'an object of more than 16 KiB',
      { metadata: JSON.parse(text(limits.metadataBytesMax + 1)) },
      'metadata_invalid',
    ],
    [
      'characters that make more than 16 KiB',
      { metadata: `{"a":"${'é'.repeat(8190)}"}` },
      'metadata_invalid',
    ],
    ['101 levels', { metadata: nested(101) }, 'metadata_invalid'],
    ['levels without end', { metadata: nested(2500) }, 'metadata_invalid'],
    ['__proto__', { metadata: '{"__proto__":{"a":1}}' }, 'metadata_invalid'],
    ['__proto__ further down', { metadata: '{"a":[{"__proto__":1}]}' }, 'metadata_invalid'],
    ['an escaped __proto__', { metadata: '{"\\u005f_proto__":1}' }, 'metadata_invalid'],
    ['U+0000 in a value', { metadata: '{"a":"\\u0000"}' }, 'metadata_invalid'],
    ['U+0000 in a key', { metadata: '{"a\\u0000":1}' }, 'metadata_invalid'],
    ['half a pair', { metadata: '{"a":"\\ud800"}' }, 'metadata_invalid'],
  ];
  for (const [title, raw, code] of bad) {
    it(`must not be ${title}`, () => assert.throws(() => parseUploadFields(raw), { code }));
  }
});

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}

/** JSON text of an object of so many bytes. */
function text(bytes: number): string {
  return `{"a":"${'x'.repeat(bytes - 8)}"}`;
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}
