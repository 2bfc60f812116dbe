/** Tests URLs in untrusted texts: found whole, cut from the text around them, and only of allowed kinds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitAddresses } from './urls.ts';

for (const [text, addresses] of [
  ['see https://example.org/a?b=c#d.', ['https://example.org/a?b=c#d']],
  ['(http://10.0.0.7:8080/map), then https://x.test', ['http://10.0.0.7:8080/map', 'https://x.test']],
  ['<a href="https://example.org/">', ['https://example.org/']],
  ['https://example.org/\u202Egnp.exe', ['https://example.org/']],
  ['javascript:alert(1) data:text/html,x ftp://example.org HTTPS://Example.ORG/A', ['HTTPS://Example.ORG/A']],
  ['http:// alone, and https://[broken', []],
  ['', []],
] as const) {
  test(`in "${text}" lead somewhere: ${addresses.join(', ') || 'none'}`, () => {
    const pieces = splitAddresses(text);
    assert.deepEqual(
      pieces.filter(({ isAddress }) => isAddress).map(piece => piece.text),
      addresses,
    );
    assert.equal(pieces.map(piece => piece.text).join(''), text);
  });
}

test('a line of punctuation does not hold the page', () => {
  const text = `https://a.example/${'!'.repeat(300_000)}x`;
  const startedAt = performance.now();
  assert.deepEqual(splitAddresses(text), [{ text, isAddress: true }]);
  assert.ok(performance.now() - startedAt < 1_000); // a search from each character takes over a minute
});
