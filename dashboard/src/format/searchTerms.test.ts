/** Tests finding search terms in matching texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutLine, markTerms, readTerms } from './searchTerms.ts';

for (const [words, terms] of [
  ['', []],
  ['  door   harbour ', ['door', 'harbour']],
  ['"at hinge" 3', ['at hinge', '3']],
  ['"not closed', ['not closed']],
  ['5"', ['5"']],
] as const) {
  test(`splits ${words} into ${terms.length} terms`, () => assert.deepEqual(readTerms(words), terms));
}

for (const [text, terms, marked] of [
  ['The door', [], 'The door'],
  ['The Door, a door', ['door'], 'The [Door], a [door]'],
  ['ÜBUNG macht', ['übung'], '[ÜBUNG] macht'],
  ['a.b axb', ['a.b'], '[a.b] axb'],
  ['(x) [y] a/b', ['(x)', '[y]', 'a/b'], '[(x)] [[y]] [a/b]'],
  ['doors', ['door', 'doors'], '[doors]'],
] as const) {
  test(`marks the matches in ${text}: ${marked}`, () => {
    const pieces = markTerms(text, terms).map(piece => (piece.isMatch ? `[${piece.text}]` : piece.text));
    assert.equal(pieces.join(''), marked);
  });
}

test('starts a line where the first match is visible', () => {
  const text = `${'a'.repeat(500)} door ${'b'.repeat(500)}`;
  assert.equal(cutLine(text, [], 20), 'a'.repeat(20));
  assert.equal(cutLine(text, ['door'], 40), `…${'a'.repeat(29)} door ${'b'.repeat(5)}`);
  for (const charactersMax of [40, 41]) {
    assert.ok(cutLine(`${'🦊'.repeat(50)}door${'🦊'.repeat(50)}`, ['door'], charactersMax).isWellFormed());
    assert.ok(cutLine('🦊'.repeat(50), [], charactersMax).isWellFormed());
  }
});
