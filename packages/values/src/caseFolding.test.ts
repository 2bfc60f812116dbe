/** Tests that case folding agrees with JavaScript's regular expressions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldCase, foldedCharacters } from './caseFolding.ts';

const same: [string, string][] = [
  ['Grün', 'GRÜN'],
  ['Straße', 'STRAẞE'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['ПРИВЕТ', 'привет'],
  ['Kelvin ſign', 'kelvin Sign'],
  ['\u{10400}', '\u{10428}'],
  ['Ǆ', 'ǅ'],
];

const different: [string, string][] = [
  ['Straße', 'STRASSE'], // one character to one character
  ['İ', 'i'],
  ['ı', 'I'],
  ['é', 'e\u0301'], // no normalisation
  ['ﬁ', 'fi'],
];

for (const [one, other] of same) {
  test(`${one} and ${other} are the same`, () => assert.equal(foldCase(one), foldCase(other)));
}
for (const [one, other] of different) {
  test(`${one} and ${other} differ`, () => assert.notEqual(foldCase(one), foldCase(other)));
}

test('a folded letter equals its original in case-insensitive regular expressions', () => {
  const [from, to] = [[...foldedCharacters.from], [...foldedCharacters.to]];
  assert.equal(from.length, to.length);
  for (const [index, character] of from.entries()) {
    assert.match(character, new RegExp(`^${to[index]}$`, 'iu'));
    assert.equal(foldCase(character), to[index]);
    assert.equal(foldCase(to[index]!), to[index]);
  }
});

test('folds every letter for which JavaScript knows two cases', () => {
  for (let code = 0; code < 0x20000; code++) {
    const character = String.fromCodePoint(code);
    for (const variant of [character.toLowerCase(), character.toUpperCase()]) {
      if (variant === character || [...variant].length > 1 || /[\\^$.*+?()[\]{}|]/.test(character)) continue;
      if (new RegExp(`^${character}$`, 'iu').test(variant)) {
        assert.equal(foldCase(character), foldCase(variant), `${character} ${variant}`);
      }
    }
  }
});
