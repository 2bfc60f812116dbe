/** Looking up members of JSON is expensive, so a statement first searches for texts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allOf, type Condition, negate } from '@tapedeck/log-query-language';
import { Binder } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditionsApart } from './conditions.ts';

const text: Condition = { kind: 'bodyExactly', text: '500' };
const level: Condition = { kind: 'level', levels: ['error'] };
const member: Condition = {
  kind: 'field',
  field: { kind: 'member', key: 'status' },
  values: [{ kind: 'equals', text: '500' }],
};
const plain: Condition = { kind: 'plainMembers', members: [{ key: 'status', isText: true }] };

const rows: readonly [name: string, condition: Condition, isOrdered: boolean][] = [
  ['a text and a member', allOf([text, member]), true],
  ['a text, a level and members in doubt', allOf([level, text, negate(plain)]), true],
  ['a level and a member', allOf([level, member]), false],
  ['a text and a level', allOf([level, text]), false],
  ['a member', member, false],
];

for (const [name, condition, isOrdered] of rows)
  it(`${isOrdered ? 'orders' : 'leaves the order to the engine for'} ${name}`, () => {
    const range = { project: 'default', datasets: null, fromMicros: 0, toMicros: 1 };
    const clauses = formatConditionsApart({ table: localTable }, { ...range, condition }, new Binder());
    assert.equal(clauses.length, 1);
    const [before = '', behind = ''] = clauses.join().split(' WHERE ');
    assert.equal(before.startsWith('PREWHERE'), isOrdered);
    if (!isOrdered) return;
    assert.match(before, /position\(body/);
    assert.doesNotMatch(before, /JSON/);
    assert.match(behind, /JSON/);
  });
