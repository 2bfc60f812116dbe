/** Tests overlapping colours, matches and URLs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSpans, sliceSpans } from './spans.ts';

function describe(pieces: ReturnType<typeof readSpans>): string[] {
  return pieces.map(({ text, look, isMatch, address }) => {
    const marks = [look.ink === null ? '' : 'ink', isMatch ? 'match' : '', address === null ? '' : 'link'];
    return `${marks.filter(mark => mark !== '').join('+')}:${text}`;
  });
}

test('a match may span two colours, and an address may span both', () => {
  const pieces = readSpans('see ^1https://a.example/do^7or/x now', ['door'], true);
  assert.deepEqual(describe(pieces), [
    ':see ',
    'ink+link:https://a.example/',
    'ink+match+link:do',
    'match+link:or',
    'link:/x',
    ': now',
  ]);
  assert(
    pieces.filter(({ address }) => address).every(({ address }) => address === 'https://a.example/door/x'),
  );
  assert.deepEqual(describe(sliceSpans(pieces, 6, 20)), ['ink+link:tps://a.exampl']);
});

test('a text without any is one piece, and an empty one none', () => {
  assert.deepEqual(describe(readSpans('as it is', [], true)), [':as it is']);
  assert.deepEqual(describe(readSpans('', ['x'], true)), []);
});
