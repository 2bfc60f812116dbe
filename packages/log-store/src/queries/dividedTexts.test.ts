/** A term with several texts is divided like alternatives with one text each: one statement for each place that may have one of them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Condition } from '@tapedeck/log-query-language';
import { Binder } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditionsApart } from './conditions.ts';

type Value = Extract<Condition, { kind: 'body' }>['values'][number];

const word: Value = { kind: 'holds', parts: ['kicked'] };
const words: Value = { kind: 'holds', parts: ['was banned by'] };
const identifier: Value = { kind: 'holds', parts: ['steam:1100001'] };

function format(condition: Condition): string[] {
  const range = { project: 'default', datasets: null, fromMicros: 0, toMicros: 1 };
  return formatConditionsApart({ table: localTable }, { ...range, condition }, new Binder());
}

for (const [name, values, statements] of [
  ['two words', [word, words], 3], // in words of the body, in identifiers, and in parts without indexes
  ['a word and an identifier', [word, identifier], 4],
  ['two identifiers', [identifier, { kind: 'holds', parts: ['steam:1100002'] }], 1],
  ['a text and an empty body', [word, { kind: 'empty' }], 1],
] as const)
  it(`divides ${name} into ${statements}`, () => {
    const alternatives = values.map(value => ({ kind: 'body', values: [value] }) as const);
    const divided = format({ kind: 'body', values });
    assert.equal(divided.length, statements);
    if (statements > 1) assert.deepEqual(divided, format({ kind: 'or', trees: alternatives }));
  });
