/** Folder and file names, including disguised ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeKey } from '@tapedeck/web/percent-encoding';
import { parseFolderPath } from './folderPath.ts';
import { makeStorageKey } from './naming.ts';

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
    it(`${show(text)} becomes ${show(path)}`, () => assert.equal(parseFolderPath(text), path));
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
    '%00',
    'a%00b',
    'a%0ab',
    'a%7f',
    '%252e%252e',
    '%25252e%25252e',
    '%252fetc',
    '%25%32%65%25%32%65',
    '%25255c',
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
    '％2e％2e',
    '％２ｅ％２ｅ',
    '%EF%BC%8Fetc',
    '%u002e%u002e',
    '%uFF0E%uFF0E',
    '%c0%ae%c0%ae',
    '%c0%afetc',
    '%e0%80%ae',
    '%ff',
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
    ['猫のビデオ.mp4', `猫のビデオ-${fileId}.webp`],
    ['e\u0301.png', `é-${fileId}.webp`],
    ['100% real? #1.png', `100% real? #1-${fileId}.webp`],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(200)}-${fileId}.webp`],
    [`${'猫'.repeat(90)}.png`, `${'猫'.repeat(66)}-${fileId}.webp`],
    [`${'x'.repeat(199)} 猫.png`, `${'x'.repeat(199)}-${fileId}.webp`],
    [`${'x'.repeat(198)}🐈.png`, `${'x'.repeat(198)}-${fileId}.webp`],
  ];
  for (const [filename, key] of rows) {
    it(`${show(filename)} becomes ${show(key)}`, () => {
      assert.equal(makeStorageKey({ path: '', filename, fileId, extension: '.webp' }), key);
      const inFolder = makeStorageKey({ path: 'a/b', filename, fileId, extension: '.webp' });
      assert.equal(inFolder, `a/b/${key}`);
      assert.equal(decodeURIComponent(encodeKey(inFolder)), inFolder);
      assert.match(encodeKey(inFolder), /^[A-Za-z0-9\-._~%/]+$/);
      assert.ok(Buffer.byteLength(key) <= 255);
    });
  }

  it('fits into the 1,024 bytes that S3 allows, with any project, path and name', () => {
    const key = makeStorageKey({
      path: 'é'.repeat(256),
      filename: '猫'.repeat(999),
      fileId,
      extension: '.weba',
    });
    assert.ok(Buffer.byteLength(`${'p'.repeat(64)}/${key}`) <= 1024);
  });
});
