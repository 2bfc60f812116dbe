/** Tests long names in sentences. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shorten } from './names.ts';

const rows: readonly [name: string, shown: string][] = [
  ['Lag', 'Lag'],
  ['exactly 10', 'exactly 10'],
  ['more than ten letters', 'more than…'],
  ['👩‍👩‍👧‍👦'.repeat(10), '👩‍👩‍👧‍👦'.repeat(10)],
  ['👩‍👩‍👧‍👦'.repeat(11), `${'👩‍👩‍👧‍👦'.repeat(9)}…`],
];

for (const [name, shown] of rows)
  test(`shortens ${name} to ${shown}`, () => assert.equal(shorten(name, 10), shown));
