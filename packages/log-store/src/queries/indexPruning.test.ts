/** Tests that statements have hints only if indexes can exclude something: hints are slow to compute per entry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, everything } from '@tapedeck/log-query-language';
import { Binder } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';

const body = (text: string): Condition => ({ kind: 'bodyExactly', text });
const any = (...trees: Condition[]): Condition => ({ kind: 'or', trees });
const nothing: Condition = { kind: 'not', tree: everything };

const rows: readonly (readonly [title: string, condition: Condition, hints: number])[] = [
  ['a word', body('"rare"'), 1],
  ['one of two words', any(body('"rare"'), body('"seldom"')), 2],
  ['a word, or a condition that nothing matches', any(body('"rare"'), nothing), 1],
  ['a word, or a character that no index holds', any(body('"rare"'), body('\\')), 0],
  ['a word, or JSON that is not in doubt', any(body('"rare"'), { kind: 'plainMembers', members: [] }), 0],
  [
    'the same condition beside another word',
    { kind: 'and', trees: [any(body('"rare"'), body('\\')), body('"seldom"')] },
    1,
  ],
];

for (const [title, condition, hints] of rows)
  test(title, () => {
    const filter = { project: 'p', datasets: null, fromMicros: null, toMicros: null, condition };
    const sql = formatConditions(filter, new Binder());
    assert.equal(sql.split(/bodyWords\)? LIKE/).length - 1, hints, sql);
  });
