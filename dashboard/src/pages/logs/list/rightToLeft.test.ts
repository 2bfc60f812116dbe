/** Tests that texts from right to left are recognised by their first letter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginsAtRight } from './rightToLeft.ts';

for (const [text, isRight] of [
  ['plain', false],
  ['', false],
  ['1: שלום', true],
  ['مرحبا Anna', true],
  ['Anna مرحبا', false],
] as const) {
  test(`finds where ${JSON.stringify(text)} begins`, () => assert.equal(beginsAtRight(text), isRight));
}
