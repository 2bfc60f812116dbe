/** Tests texts that every match of an expression contains. A wrong text would make an index miss matches. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findLiterals, listAlternatives } from './expressionLiterals.ts';

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

const alternatives: readonly [expression: string, found: readonly string[] | null][] = [
  ['one|other', ['one', 'other']],
  ['one|two [0-9]+|^three$', ['one', 'two [0-9]+', '^three$']],
  ['(a|b)c', null],
  ['(a|b)c|d', ['(a|b)c', 'd']],
  ['[|]a|b', ['[|]a', 'b']],
  ['[^|]a|b', ['[^|]a', 'b']],
  ['a\\|b', null],
  ['a\\|b|c', ['a\\|b', 'c']],
  ['(?i)one|other', null],
  ['(?i:one)|other', ['(?i:one)', 'other']],
  ['one|', null],
  ['[]|]a|b', null],
  ['\\Qa|b\\E', null],
  ['one', null],
];

describe('alternatives', () => {
  for (const [expression, found] of alternatives)
    test(`${expression}: ${JSON.stringify(found)}`, () => {
      const condition = { kind: 'matches', field: { kind: 'body' }, expression } as const;
      assert.deepEqual(listAlternatives(condition)?.map(each => each.expression) ?? null, found);
    });
});
