/** What can stand at the caret, drawn as |, and what the text becomes when it is chosen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWantedValues, isBegun, type Known, listOptions } from './completion.ts';

const known: Known = {
  fields: [
    { name: 'level', kind: 'text', entries: 9 },
    { name: 'player.id', kind: 'text', entries: 9 },
    { name: 'player.name', kind: 'text', entries: 8 },
    { name: 'ms', kind: 'number', entries: 7 },
    { name: 'metadata.level', kind: 'text', entries: 6 },
    { name: 'odd name', kind: 'text', entries: 1 },
  ],
  values: [
    { value: 'Anna', count: 5 },
    { value: 'ann b', count: 3 },
    { value: 'say "hi"', count: 2 },
    { value: '', count: 1 },
  ],
  resources: [{ value: 'es extended', count: 4 }],
  searches: ['level:error', 'player.id:43 a'],
};

/** All that is offered, by its name. */
const offered: Readonly<Record<string, readonly string[]>> = {
  'pla|': ['player.id:', 'player.name:', 'player.id:43 a'],
  'ID|': ['player.id:', 'traceId:', 'parentId:'],
  'a lev|': ['level:', 'metadata.level:'],
  'err|': ['level:error'],
  'es|': ['resource:', 'resource:"es extended"'],
  'a OR|': ['OR'],
  'ms:|': ['>', '>=', '<', '<=', 'Anna', 'ann b', 'say "hi"', '""', '*'],
  'x:aN|': ['Anna', 'ann b'],
  'x:"ann |': ['ann b'],
  'x:(Anna,a|)': ['Anna', 'ann b'],
  'level:|': ['error', 'warn', 'info', 'debug', '*'],
  'level:cri|': [],
  'level:crit|': ['error'],
  'ms:|>5': ['>', '>=', '<', '<='],
  'ms:>1|': [],
  'body:a|': [],
};

for (const [drawn, names] of Object.entries(offered)) {
  test(`offers at ${drawn}: ${names.join(' ')}`, () => {
    const labels = listAll(drawn).map(({ label }) => label);
    assert.deepEqual(labels, names);
  });
}

/** Text, what is chosen, and the text afterwards. */
const chosen: readonly (readonly [string, string, string])[] = [
  ['a pla| b', 'player.id:', 'a player.id: b'],
  ['pla|:5', 'player.name:', 'player.name:5'],
  ['"od|', '"odd name":', '"odd name":'],
  ['x:a|', 'Anna', 'x:Anna '],
  ['x:a| y', 'ann b', 'x:"ann b" y'],
  ['x:"s|', 'say "hi"', 'x:"say \\"hi\\"" '],
  ['(x:a|)', 'Anna', '(x:Anna)'],
  ['x:(a|', 'ann b', 'x:("ann b"'],
  ['x:|', '*', 'x:* '],
  ['err|', 'level:error', 'level:error '],
  ['ms:|', '>=', 'ms:>='],
  ['a O|', 'OR', 'a OR '],
  ['|', 'level:error', 'level:error'],
];

for (const [drawn, name, after] of chosen) {
  test(`${drawn}: ${name} makes ${after}`, () => {
    const option = listAll(drawn).find(({ label }) => label === name);
    assert(option?.edit, 'it is not offered');
    const { from, to, insert } = option.edit;
    const text = drawn.replace('|', '');
    assert.equal(text.slice(0, from) + insert + text.slice(to), after);
  });
}

test('values are wanted where one is typed, by what stands before the caret', () => {
  const wanted = ['player.id:4|3', 'a|', 'x:"a \\"b|', 'x:a*b|', 'body:a|'].map(drawn =>
    findWantedValues(readPlace(drawn)),
  );
  assert.deepEqual(wanted, [
    { field: 'player.id', prefix: '4' },
    null,
    { field: 'x', prefix: 'a "b' },
    { field: 'x', prefix: 'a' },
    null,
  ]);
});

test('a list opens by itself where something is begun', () => {
  assert.deepEqual(
    ['a |', '|', 'a|', 'x:|'].map(drawn => isBegun(readPlace(drawn))),
    [false, false, true, true],
  );
});

function listAll(drawn: string) {
  return listOptions(readPlace(drawn), known).flatMap(({ options }) => options);
}

function readPlace(drawn: string) {
  return { text: drawn.replace('|', ''), caret: drawn.indexOf('|') };
}
