/** Tests which characters a URL keeps and which are encoded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeKey, encodeUnreserved } from './percentEncoding.ts';

test('what is unreserved stays, and everything else of ASCII is encoded', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const kept = ascii.filter(character => encodeUnreserved(character) === character).join('');
  assert.equal(kept, '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
  for (const character of ascii) assert.equal(decodeURIComponent(encodeUnreserved(character)), character);
});

test('the slashes of a key stay', () => {
  assert.equal(encodeKey("a/b c's/猫%"), 'a/b%20c%27s/%E7%8C%AB%25');
});

test('half of a surrogate pair has no encoding', () => {
  assert.throws(() => encodeUnreserved('\ud800'), URIError);
});
