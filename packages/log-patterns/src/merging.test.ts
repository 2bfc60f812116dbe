/** Templates that differ in words at one place become one; others stay. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeGameEntries } from '../tests/gameEntries.ts';
import { mergeTemplates } from './merging.ts';
import { findPattern } from './patterns.ts';

const names = 'Olga Ben Anna Carla Dmitri Elif Farid Greta Hugo Jan Kemal Mira Nils Oskar Rosa Sven'.split(
  ' ',
);
const families = 'Jones Smith Novak Weber Rossi Vega Young Quinn'.split(' ');
const fullNames = names.map((name, index) => `${name} ${families[index % families.length]}`);

/** Templates, and what becomes of them with how many in each. */
const rows: readonly [title: string, templates: readonly string[], merged: Readonly<Record<string, number>>][] = [
  ['one word', names.map(name => `kicked ${name} (<n>): aimbot`), { 'kicked <*> (<n>): aimbot': 16 }],
  ['names of several words', fullNames.map(name => `kicked ${name} (<n>): aimbot`), { 'kicked <*> (<n>): aimbot': 16 }],
  [
    'who did what',
    ['kicked', 'banned', 'warned'].flatMap(done => fullNames.map(name => `${done} ${name} (<n>): aimbot`)),
    { 'banned <*> (<n>): aimbot': 16, 'kicked <*> (<n>): aimbot': 16, 'warned <*> (<n>): aimbot': 16 },
  ],
  ['names with digits', [...names, '<id>'].map(name => `player ${name} joined game`), { 'player <*> joined game': 17 }],
  ['too few', ['a', 'b', 'c', 'd'].map(word => `door ${word} was opened today`), { 'door a was opened today': 1, 'door b was opened today': 1, 'door c was opened today': 1, 'door d was opened today': 1 }],
  ['enough for a sentence', ['a', 'b', 'c', 'd', 'e'].map(word => `door ${word} was opened today`), { 'door <*> was opened today': 5 }],
  ['too few for what says little', names.slice(0, 7).map(name => `joined ${name} now`), Object.fromEntries(names.slice(0, 7).map(name => [`joined ${name} now`, 1]))],
  ['nothing but the gap', names.concat(families), Object.fromEntries(names.concat(families).map(name => [name, 1]))],
]; // biome-ignore format: a table

describe('Of templates', () => {
  for (const [title, templates, expected] of rows) {
    test(title, async () => {
      const merged = await mergeTemplates(templates.map(template => ({ template, entries: 1 })));
      const found = merged.map(({ template, members }) => [template, members.length] as const);
      assert.deepEqual(Object.fromEntries(found), expected);
    });
  }

  test('none is lost, and equal questions have equal answers', async () => {
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
