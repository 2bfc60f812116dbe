/** Tests that templates that differ in words are merged, and others stay. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeGameEntries } from '../tests/gameEntries.ts';
import { hostileSets, makeHostileEntries } from '../tests/hostileEntries.ts';
import { mergeTemplates } from './merging.ts';
import { findPattern } from './patterns.ts';
import { compileTemplate } from './templateMatching.ts';

const names = 'Olga Ben Anna Carla Dmitri Elif Farid Greta Hugo Jan Kemal Mira Nils Oskar Rosa Sven'.split(
  ' ',
);
const families = 'Jones Smith Novak Weber Rossi Vega Young Quinn'.split(' ');
const fullNames = names.map((name, index) => `${name} ${families[index % families.length]}`);

/** Templates, and the merged templates with their number of members. */
const rows: readonly [title: string, templates: readonly string[], merged: Readonly<Record<string, number>>][] = [
  ['one word', names.map(name => `kicked ${name} (<n>): aimbot`), { 'kicked <*> (<n>): aimbot': 16 }],
  ['multi-word names', fullNames.map(name => `kicked ${name} (<n>): aimbot`), { 'kicked <*> (<n>): aimbot': 16 }],
  [
    'different actions',
    ['kicked', 'banned', 'warned'].flatMap(done => fullNames.map(name => `${done} ${name} (<n>): aimbot`)),
    { 'banned <*> (<n>): aimbot': 16, 'kicked <*> (<n>): aimbot': 16, 'warned <*> (<n>): aimbot': 16 },
  ],
  ['names with digits', [...names, '<id>'].map(name => `player ${name} joined game`), { 'player <*> joined game': 17 }],
  ['too few', ['a', 'b', 'c', 'd'].map(word => `door ${word} was opened today`), { 'door a was opened today': 1, 'door b was opened today': 1, 'door c was opened today': 1, 'door d was opened today': 1 }],
  ['enough for a sentence', ['a', 'b', 'c', 'd', 'e'].map(word => `door ${word} was opened today`), { 'door <*> was opened today': 5 }],
  ['too few for a sentence with few words', names.slice(0, 7).map(name => `joined ${name} now`), Object.fromEntries(names.slice(0, 7).map(name => [`joined ${name} now`, 1]))],
  [
    'two names in a line',
    names.flatMap(name => fullNames.map(other => `${name} killed ${other} with <n>`)),
    { '<*> killed <*> with <n>': 256 },
  ],
  [
    'decisive words',
    ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'].map(method => `${method} of the page took <n> ms`),
    Object.fromEntries(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'].map(method => [`${method} of the page took <n> ms`, 1])),
  ],
  [
    'arrivals and departures',
    ['connected', 'disconnected', 'joined', 'left'].flatMap(done => fullNames.map(name => `${name} has ${done} at <time>`)),
    { '<*> has connected at <time>': 16, '<*> has disconnected at <time>': 16, '<*> has joined at <time>': 16, '<*> has left at <time>': 16 },
  ],
  ['nothing but the gap', names.concat(families), Object.fromEntries(names.concat(families).map(name => [name, 1]))],
]; // biome-ignore format: a table

describe('merging templates', () => {
  for (const [title, templates, expected] of rows) {
    test(title, async () => {
      const merged = await mergeTemplates(templates.map(template => ({ template, entries: 1 })));
      const found = merged.map(({ template, members }) => [template, members.length] as const);
      assert.deepEqual(Object.fromEntries(found), expected);
    });
  }

  test('rows of many names keep different actions apart', async () => {
    let seed = 7;
    const pick = <One>(all: readonly One[]): One => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return all[(seed >>> 8) % all.length]!;
    };
    const someone = () =>
      pick(['<id>', `${pick(names)} ${pick(families)}`, `${pick(names)} ${pick(families)}`]);
    const templates = new Set<string>();
    for (let index = 0; index < 3_000; index++) {
      templates.add(`${someone()} teleported to ${someone()}`);
      templates.add(`${someone()} invited ${someone()} to crew ${pick(families)} ${pick(['Crew', 'Boys'])}`);
    }
    const merged = await mergeTemplates([...templates].map(template => ({ template, entries: 1 })));
    const found = merged.map(({ template }) => template);
    assert.deepEqual(
      found.filter(each => !/ (?:teleported to|invited) /.test(each)),
      [],
    );
  });

  test('keeps every template, and gives equal answers to equal queries', async () => {
    const templates = new Set<string>();
    for (const { body } of makeGameEntries(3_000)) templates.add(findPattern(body).template);
    const all = [...templates].map(template => ({ template, entries: 1 }));
    const merged = await mergeTemplates(all);
    const members = merged.flatMap(each => each.members.map(({ template }) => template));
    assert.deepEqual(members.toSorted(), [...templates].toSorted());
    assert.ok(merged.length * 5 < all.length, `${all.length} became ${merged.length}`);
    assert.deepEqual(await mergeTemplates(all), merged);
  });
});

/** The maximum rows of a set, with names in the metadata and without. */
const hostileMax: Readonly<Record<string, readonly [named: number, plain: number]>> = {
  'game server': [25, 150],
  'block game': [25, 60],
  cluster: [30, 30],
  'sign-ins': [20, 20],
};

describe('merging hostile lines', () => {
  for (const [title, kinds] of Object.entries(hostileSets)) {
    for (const [index, way] of ['with metadata', 'without'].entries()) {
      test(`${title} ${way}`, async () => {
        const templates = new Set<string>();
        for (const { body, metadata } of makeHostileEntries(kinds, 8_000))
          templates.add(findPattern(body, index === 0 ? metadata : undefined).template);
        const paths = index === 0 ? ['player.name'] : [];
        const all = [...templates].map(template => ({ template, entries: 1, paths }));
        const merged = await mergeTemplates(all);
        const list = merged.map(({ template }) => template).join('\n');
        assert.ok(merged.length <= hostileMax[title]![index]!, `${merged.length} rows:\n${list}`);
        assert.ok(merged.length >= kinds.length, `lines of ${kinds.length} kinds became:\n${list}`);
        const members = merged.flatMap(each => each.members.map(({ template }) => template));
        assert.deepEqual(members.toSorted(), [...templates].toSorted());
      });
    }
  }
});

/** A merged template, others that fit, and others that do not. */
const fitting: readonly [merged: string, fits: readonly string[], others: readonly string[]][] = [
  ['kicked <*> (<n>)', ['kicked Ben (<n>)', 'kicked [A] Ben B (x) (<n>)'], ['kicked  (<n>', 'kicked (<n>)', 'kicked Ben (<n>)!', 'Kicked Ben (<n>)']],
  ['<*> killed <*>', ['a killed b', 'a killed b killed c'], ['a killed ', ' killed b', 'a killedb']],
  ['a<*>a', ['aba', 'aaa'], ['aa', 'a', 'ab']],
  ['<<*>> <*>', ['<Ben> hi', '<<id>> hi'], ['<id> joined', '<*> <n>']],
  ['chat', ['chat'], ['chats', '']],
]; // biome-ignore format: a table

describe('a merged template', () => {
  for (const [merged, fits, others] of fitting) {
    test(merged, () => {
      const matches = compileTemplate(merged);
      assert.deepEqual([...fits, ...others].filter(matches), fits);
    });
  }
});
