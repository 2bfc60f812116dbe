/** Tests which characters a URL keeps and which are encoded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeKey, encodeUnreserved } from './percentEncoding.ts';

test('keeps unreserved characters, and encodes all other ASCII', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const kept = ascii.filter(character => encodeUnreserved(character) === character).join('');
  assert.equal(kept, '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
  for (const character of ascii) assert.equal(decodeURIComponent(encodeUnreserved(character)), character);
});

test('keeps the slashes of a key', () => {
  assert.equal(encodeKey("a/b c's/猫%"), 'a/b%20c%27s/%E7%8C%AB%25');
});

test('refuses to encode half of a surrogate pair', () => {
  assert.throws(() => encodeUnreserved('\ud800'), URIError);
});
