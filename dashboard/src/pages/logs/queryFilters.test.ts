/** Tests the query text after a click on a value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chooseLevels,
  dropField,
  findAsked,
  findPresence,
  listFields,
  listLevels,
  listWords,
  nameMetadata,
  requiresOnly,
  toggleAlso,
  toggleNot,
  toggleOnly,
  toggleWithout,
} from './queryFilters.ts';

type Press = (text: string, name: string, value: string) => string;
const presses: Readonly<Record<string, Press>> = {
  only: toggleOnly,
  not: toggleNot,
  also: toggleAlso,
  without: toggleWithout,
};

/** Text, action, field and value, and the text afterwards. */
const pressed: readonly (readonly [string, string, [string, string], string])[] = [
  ['', 'only', ['player.id', '43'], 'player.id:43'],
  ['player.id=43', 'only', ['player.id', '43'], ''],
  ['a  AND b', 'only', ['map', 'old harbour'], 'a b map:"old harbour"'],
  ['map:desert a', 'only', ['map', 'harbour'], 'a map:harbour'],
  ['map:(desert,harbour)', 'only', ['map', 'harbour'], ''],
  ['map:ha*', 'only', ['map', 'harbour'], 'map:ha* map:harbour'],
  ['-map:harbour', 'only', ['map', 'harbour'], 'map:harbour'],
  ['-map:(harbour,sea)', 'only', ['map', 'harbour'], '-map:sea map:harbour'],
  ['a OR b', 'only', ['level', 'warn'], '(a OR b) level:warn'],
  ['level:(warn,error)', 'only', ['level', 'debug'], 'level:debug'],
  ['body:a', 'only', ['body', 'b c'], 'body:a body:"b c"'],
  ['map:x OR a', 'only', ['map', 'y'], '(map:x OR a) map:y'],
  ['a (', 'only', ['map', 'y'], 'a ( map:y'],
  ['', 'only', ['metadata.level', '9'], 'metadata.level:9'],
  ['', 'only', ['say "hi"', '*'], '"say \\"hi\\"":"*"'],
  ['a', 'not', ['map', 'sea'], 'a -map:sea'],
  ['a -map:sea', 'not', ['map', 'sea'], 'a'],
  ['-map:(sea,land)', 'not', ['map', 'sea'], '-map:land'],
  ['map:sea a', 'not', ['map', 'sea'], 'a -map:sea'],
  ['map:(sea,land)', 'not', ['map', 'sea'], 'map:land'],
  ['level:*', 'not', ['level', 'debug'], 'level:(info,warn,error)'],
  ['map:s*', 'not', ['map', 'sea'], 'map:s* -map:sea'],
  ['a (', 'not', ['map', 'y'], 'a ( -map:y'],
  ['a', 'also', ['map', 'sea'], 'a map:sea'],
  ['map:sea a', 'also', ['map', 'land'], 'map:(sea,land) a'],
  ['map:(sea,land) a', 'also', ['map', 'sea'], 'map:land a'],
  ['-map:sea', 'also', ['map', 'sea'], 'map:sea'],
  ['level:error', 'also', ['level', 'warn'], 'level:(warn,error)'],
  ['map:sea -map:a map:* b', 'without', ['map', ''], 'b -map:*'],
  ['b -map:*', 'without', ['map', ''], 'b'],
];

for (const [text, press, [name, value], after] of pressed) {
  test(`${text || 'nothing'}: ${press} ${name} ${value}`, () => {
    assert.equal(presses[press]?.(text, name, value), after);
  });
}

test('includes and excludes several values together', () => {
  const values = ['sea', 'land'];
  assert.equal(toggleOnly('a map:air', 'map', values), 'a map:(sea,land)');
  assert.equal(toggleOnly('a map:(sea,land)', 'map', values), 'a');
  assert.equal(toggleNot('a map:(sea,air)', 'map', values), 'a map:air');
  assert.equal(toggleNot('a', 'map', values), 'a -map:(sea,land)');
  assert.equal(toggleNot('a -map:(sea,land)', 'map', values), 'a');
});

test('lists the filters on a value and on a field', () => {
  const text = 'map:(sea,land) -map:air -door:* key:* a';
  assert.deepEqual(
    ['sea', 'air', 'fire'].map(value => findAsked(text, 'map', value)),
    ['only', 'not', null],
  );
  assert.deepEqual(
    ['door', 'key', 'map'].map(name => findPresence(text, name)),
    ['not', 'only', null],
  );
  assert.deepEqual(listFields(text), ['map', 'door', 'key']);
  assert.equal(dropField(text, 'map'), '-door:* key:* a');
  assert.equal(dropField('a (', 'map'), 'a (');
});

test('levels are chosen among all', () => {
  assert.deepEqual(listLevels('a level:(error,info)'), ['info', 'error']);
  assert.equal(chooseLevels('a level:info', ['warn', 'info']), 'a level:(info,warn)');
  assert.equal(chooseLevels('a level:info', []), 'a');
  assert.equal(chooseLevels('', ['error']), 'level:error');
});

for (const [text, values, isAsked] of [
  ['pattern:0a level:error', '0a', true],
  ['pattern:(0a,0b)', '0a', false],
  ['pattern:0a', ['0a', '0b'], false],
  ['pattern:(0b,0a) level:error', ['0a', '0b'], true],
  ['pattern:"lost <*> of <*>"', 'lost <*> of <*>', true],
  ['-pattern:0a', '0a', false],
  ['pattern:0*', '0a', false],
  ['level:error', '0a', false],
  ['pattern:(', '0a', false],
] as const) {
  test(`“${text}” asks ${isAsked ? 'only' : 'not only'} for ${values}`, () =>
    assert.equal(requiresOnly(text, 'pattern', values), isAsked));
}

test('lists the words to highlight in entries', () => {
  assert.deepEqual(listWords('door "a b" -c body:(d,e*f) level:error x:y (g OR door)'), [
    'door',
    'a b',
    'd',
    'e',
    'f',
    'g',
  ]);
  assert.deepEqual(listWords('door ('), []);
});

test('names a metadata path as the service lists it', () => {
  assert.deepEqual(['player.id', 'level', 'metadata.x'].map(nameMetadata), [
    'player.id',
    'metadata.level',
    'metadata.metadata.x',
  ]);
});
