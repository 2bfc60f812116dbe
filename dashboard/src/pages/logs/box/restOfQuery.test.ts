/** Tests removing the term at the caret from a query. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRestOfQuery } from './restOfQuery.ts';

/** | marks the caret. */
const rows: readonly (readonly [typed: string, rest: string])[] = [
  ['|', ''],
  ['res|', ''],
  ['level:error |', 'level:error'],
  ['level:error res|', 'level:error'],
  ['level:error resource:|', 'level:error'],
  ['level:error resource:chat|', 'level:error'],
  ['level:error -resource:ch|', 'level:error'],
  ['level:error NOT resource:|', 'level:error'],
  ['level:error AND ping:>|', 'level:error'],
  ['res| level:error', 'level:error'],
  ['level:error resource:| "two words"', 'level:error "two words"'],
  ['level:error OR resource:|', ''],
  ['(level:error resource:|)', '(level:error )'],
  ['level:(error, |) resource:chat', ''],
];

for (const [typed, rest] of rows)
  test(`${typed} leaves ${rest || 'nothing'}`, () => {
    const caret = typed.indexOf('|');
    assert.equal(readRestOfQuery({ text: typed.replace('|', ''), caret }), rest);
  });
