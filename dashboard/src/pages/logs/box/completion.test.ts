/** Tests the options at the caret, drawn as |, and the text after choosing one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTermBegun } from '../../../queryBox/completion.ts';
import { findWantedValues, type Known, listOptions } from './completion.ts';

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
    { value: 'http://x/?a=b', count: 1 },
    { value: '12:30', count: 1 },
    { value: 'C:\\temp', count: 1 },
    { value: ':=>', count: 1 },
  ],
  resources: [{ value: 'es extended', count: 4 }],
  searches: ['level:error', 'player.id:43 a'],
};

/** Values that contain operators: the first one ends the name, and the rest is the value. */
const signed = known.values.slice(4).map(({ value }) => value);

/** The labels offered for a text. */
const offered: Readonly<Record<string, readonly string[]>> = {
  'pla|': ['player.id:', 'player.name:', 'player.id:43 a'],
  'ID|': ['player.id:', 'traceId:', 'parentId:'],
  'a lev|': ['level:', 'metadata.level:'],
  'err|': ['level:error'],
  'es|': ['resource:', 'resource:"es extended"'],
  'a OR|': ['OR'],
  'ms:|': ['>', '>=', '<', '<=', 'Anna', 'ann b', 'say "hi"', '""', ...signed, '*'],
  'url:h|': ['http://x/?a=b'],
  'url:http:|': ['http://x/?a=b'],
  'url:http://x/?a=|': ['http://x/?a=b'],
  'url:http://x/?a=b|': ['http://x/?a=b'],
  'url=http:|': ['http://x/?a=b'],
  'url:"http://x/?a=|': ['http://x/?a=b'],
  'url:(Anna,http:|)': ['http://x/?a=b'],
  'url:http://y|': [],
  'time=12:|': ['12:30'],
  'path:C:\\t|': ['C:\\temp'],
  'x::|': [':=>'],
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

/** Text, chosen option, and text afterwards. */
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
  ['url:http:|', 'http://x/?a=b', 'url:http://x/?a=b '],
  ['url:http:| y', 'http://x/?a=b', 'url:http://x/?a=b y'],
  ['url=ht|tp://x/?c', 'http://x/?a=b', 'url=http://x/?a=b '],
  ['url:(Anna,http:|)', 'http://x/?a=b', 'url:(Anna,http://x/?a=b)'],
  ['path:C:|', 'C:\\temp', 'path:C:\\temp '],
  ['x:|', ':=>', 'x:":=>" '],
  ['od|:http://x', '"odd name":', '"odd name":http://x'],
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

test('suggests values where one is typed, judging by the text before the caret', () => {
  const wanted = ['player.id:4|3', 'a|', 'x:"a \\"b|', 'x:a*b|', 'body:a|', 'url:http://x/?a=|b'].map(drawn =>
    findWantedValues(readPlace(drawn)),
  );
  assert.deepEqual(wanted, [
    { field: 'player.id', prefix: '4' },
    null,
    { field: 'x', prefix: 'a "b' },
    { field: 'x', prefix: 'a' },
    null,
    { field: 'url', prefix: 'http://x/?a=' },
  ]);
});

test('a list opens by itself where something is begun', () => {
  assert.deepEqual(
    ['a |', '|', 'a|', 'x:|'].map(drawn => isTermBegun(readPlace(drawn))),
    [false, false, true, true],
  );
});

function listAll(drawn: string) {
  return listOptions(readPlace(drawn), known).flatMap(({ options }) => options);
}

function readPlace(drawn: string) {
  return { text: drawn.replace('|', ''), caret: drawn.indexOf('|') };
}
