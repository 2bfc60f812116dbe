/** Tests that text changing its writing direction leaves the text beside it alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolate } from './direction.ts';

for (const [text, isolated] of [
  ['plain', 'plain'],
  ['שלום', 'שלום'],
  ['a\u202egnp.exe', '\u2068a\u202egnp.exe\u2069'],
  ['\u2069\u202ea', '\u2068\u202ea\u2069'],
  ['\u2067a', '\u2068a\u2069'],
] as const) {
  test(`isolates the direction of ${JSON.stringify(text)}`, () => assert.equal(isolate(text), isolated));
}
