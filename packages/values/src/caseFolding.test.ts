/** Tests that case folding agrees with JavaScript's regular expressions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldCase } from './caseFolding.ts';

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
  let count = 0;
  for (let code = 0; code < 0x20000; code++) {
    const character = String.fromCodePoint(code);
    const folded = foldCase(character);
    if (folded === character) continue;
    count += 1;
    assert.match(character, new RegExp(`^${folded}$`, 'iu'));
    assert.equal(foldCase(folded), folded);
  }
  assert.ok(count > 1000, `${count} characters are folded`);
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
