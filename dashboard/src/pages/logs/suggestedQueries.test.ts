/** Tests the suggestions for searches that find nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSimilar, type Known, listPlainTerms, suggestQueries } from './suggestedQueries.ts';

const fields = ['level', 'resource', 'player.id', 'player.name', 'ms'];
const known: Known = { fields, values: new Map(), elsewhere: [] };

const rows: readonly (readonly [string, Partial<Known>, readonly string[]])[] = [
  ['playerid:43', {}, ['player.id:43']],
  ['Player.Id:43', {}, ['player.id:43']],
  ['Level:error', {}, ['level:error', 'Level:*error*']],
  ['plaier.name:An*', {}, ['player.name:An*']],
  ['duration_ms:>5', {}, ['ms:>5']],
  ['"player.id=43"', {}, ['player.id:43']],
  ['player.id 43', {}, ['player.id:43', '43', 'player.id']],
  ['a fatal', {}, ['a level:error', 'fatal', 'a']],
  [
    'player.name:ann',
    { values: new Map([['player.name', ['Ann', 'Anna']]]) },
    ['player.name:Ann', 'player.name:Anna', 'player.name:*ann*'],
  ],
  ['resource:43', { elsewhere: [{ name: 'player.id', value: '43' }] }, ['player.id:43']],
  ['player.name:"a b" -x', {}, ['-x', 'player.name:"a b"']],
  ['a', {}, []],
  ['a (', {}, []],
  ['', {}, []],
];

for (const [text, about, proposed] of rows) {
  test(`instead of ${text || 'nothing'}: ${proposed.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(suggestQueries(text, { ...known, ...about }), proposed);
  });
}

test('a field that there is has no other name', () => {
  assert.deepEqual(findSimilar('player.id', fields), []);
  assert.deepEqual(findSimilar('id', fields), ['player.id', 'traceId', 'parentId']);
  assert.deepEqual(findSimilar('x', fields), []);
});

test('lists only plain terms of one field and one value', () => {
  assert.deepEqual(listPlainTerms('a x:1 -y:2 z:(3,4) level:error'), [{ name: 'x', value: '1' }]);
});
