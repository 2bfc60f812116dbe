/** Tests lines of one shape: a place with many values varies, and words that say what happened stay. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findShapes } from './shapes.ts';

const words = 'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon'.split(' ');
const valuesMin = words.length;

/** Writes a line with a word; `becomes` is the merged line of all words, or null if they stay. */
const rows: readonly [title: string, write: (word: string) => string, becomes: string | null][] = [
  ['a path', word => `GET /shop/${word}/cart?q=${word}+x <n> ms`, 'GET <*> <n> ms'],
  ['a quoted request', word => `<ip> "GET /shop/${word} HTTP/<n>" <n>`, '<ip> "GET <*> HTTP/<n>" <n>'],
  ['a quoted text', word => `joined room "the ${word} hall"`, 'joined room "<*>"'],
  ['a text in single quotes', word => `no file '${word} two'`, "no file '<*>'"],
  ['a value', word => `level=info user=${word} done`, 'level=info user=<*> done'],
  ['JSON', word => `{"user":"${word}","msg":"paid"}`, '{"user":"<*>","msg":"paid"}'],
  ['a mail address', word => `mail to ${word}@example.com sent`, 'mail to <*> sent'],
  ['a module', word => `Bean com.shop.${word}.Cart loaded`, 'Bean <*> loaded'],
  ['a stack trace', word => `TypeError: gone at ${word} (/app/${word}.js:<n>:<n>) at run (/app/run.js)`, 'TypeError: gone <*>'],
  ['an action as a value', word => `level=info msg="${word} done"`, null],
  ['an action in JSON', word => `{"event":"${word}","n":<n>}`, null],
  ['words of a sentence', word => `the ${word} was sold`, null],
  ['a place in a sentence', word => `Ben died at Dock (by ${word})`, null],
  ['a word after a module', word => `WARNING:${word}:retry failed`, null],
  ['the name of a key', word => `{"${word}":<n>}`, null],
]; // biome-ignore format: a table

describe('lines that differ in', () => {
  for (const [title, write, becomes] of rows) {
    test(title, () => {
      const found = findShapes(words.map(write), valuesMin);
      assert.deepEqual([...new Set(found.values())], becomes === null ? [] : [becomes]);
      assert.equal(found.size, becomes === null ? 0 : words.length);
    });
  }

  test('too few values', () => {
    const texts = words.slice(1).map(word => `GET /shop/${word} <n> ms`);
    assert.equal(findShapes(texts, valuesMin).size, 0);
  });

  test('one of two places', () => {
    const texts = words.map((word, index) => `user=${word} role=${index % 2 === 0 ? 'cook' : 'guard'} here`);
    assert.deepEqual([...new Set(findShapes(texts, valuesMin).values())].sort(), [
      'user=<*> role=cook here',
      'user=<*> role=guard here',
    ]);
  });

  test('a method', () => {
    const texts = ['GET', 'POST'].flatMap(method => words.map(word => `"${method} /${word} HTTP/<n>" <n>`));
    assert.deepEqual(
      [...new Set(findShapes(texts, valuesMin).values())],
      ['"GET <*> HTTP/<n>" <n>', '"POST <*> HTTP/<n>" <n>'],
    );
  });
});
