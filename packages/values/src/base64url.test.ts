/** Tests that each sequence of bytes has one encoding: encoded bytes decode, and any other text is refused. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, test } from 'node:test';
import { decodeBase64url } from './base64url.ts';

test('bytes of every length survive a round trip', () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = randomBytes(length);
    assert.deepEqual(decodeBase64url(bytes.toString('base64url')), bytes);
  }
});

describe('refuses other spellings', () => {
  const rows: [string, string][] = [
    ['padding', '_-8='],
    ['padding where none belongs', '_-8A='],
    ['a leading space', ' _-8'],
    ['a trailing space', '_-8 '],
    ['a space inside', '_ -8'],
    ['a line break', '_-8\n'],
    ['a zero byte', '_-8\0'],
    ['the characters of base64', '/+8'],
    ['one of them', '_+8'],
    ['bits after the last byte', '_-9'],
    ['an extra character', '_-8AA'],
    ['no alphabet', '_-8!'],
    ['a full-width letter', '_-8\uff21'],
    ['a code unit whose low byte would fit', '_-\u0138'],
  ];
  assert.deepEqual(decodeBase64url('_-8'), Buffer.from([0xff, 0xef]));
  for (const [what, text] of rows) it(what, () => assert.equal(decodeBase64url(text), null));
});

test('accepts only last characters without extra bits', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const length of [1, 2, 4, 5, 28, 29]) {
    const start = randomBytes(length).toString('base64url').slice(0, -1);
    const taken = [...alphabet].filter(last => decodeBase64url(start + last) !== null);
    assert.equal(taken.length, length % 3 === 1 ? 4 : 16);
    const decoded = taken.map(last => decodeBase64url(start + last)?.toString('hex'));
    assert.equal(new Set(decoded).size, taken.length, 'no two spellings mean the same');
  }
});
