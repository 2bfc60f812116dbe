/** Texts that stand wherever an expression matches: never one too many, for then an index would leave matches out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLiterals } from './expressionLiterals.ts';

const rows: readonly [expression: string, literals: readonly string[]][] = [
  ['timeout', ['timeout']],
  ['took [0-9]+ms', ['took ', 'ms']],
  ['a.b', ['a', 'b']],
  ['a\\.b', ['a.b']],
  ['colou?r', ['colo', 'r']],
  ['ab*c', ['a', 'c']],
  ['ab+c', ['ab', 'c']],
  ['ab{0,3}c', ['a', 'c']],
  ['one|other', []],
  ['(one|other) end', [' end']],
  ['(?i)error', ['error']],
  ['^start .* end$', ['start ', ' end']],
  ['[[:alpha:]]x', []],
  ['[^]]x', ['x']],
  ['\\dab', ['ab']],
  ['\\x41b', []],
  ['\\Qa|b\\E', []],
  ['(a(b)c)d', ['d']],
];

for (const [expression, literals] of rows)
  test(`${expression}: ${JSON.stringify(literals)}`, () =>
    assert.deepEqual(findLiterals(expression), literals));
