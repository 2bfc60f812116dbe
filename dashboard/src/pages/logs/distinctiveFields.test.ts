/** Tests that fields which distinguish the results come first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderDistinctiveFirst } from './distinctiveFields.ts';

type Row = {
  name: string;
  found: Record<string, number>;
  all: Record<string, number>;
  order: readonly string[];
};

const rows: readonly Row[] = [
  {
    name: 'a field of the found entries alone stands before one of all',
    found: { level: 100, map: 100, stack: 90 },
    all: { level: 10_000, map: 10_000, stack: 90 },
    order: ['stack', 'level', 'map'],
  },
  {
    name: 'one entry says less than many',
    found: { level: 1_000, rare: 1, code: 800 },
    all: { level: 100_000, rare: 1, code: 1_600 },
    order: ['code', 'rare', 'level'],
  },
  {
    name: 'a field that is rarer among the found than among all comes last',
    found: { level: 100, player: 1, map: 100 },
    all: { level: 200, player: 150, map: 200 },
    order: ['level', 'map', 'player'],
  },
  {
    name: 'where everything is found the most frequent come first',
    found: { level: 10, a: 2, b: 7 },
    all: { level: 10, a: 2, b: 7 },
    order: ['level', 'b', 'a'],
  },
  {
    name: 'counts that were taken earlier are no larger share than the whole',
    found: { level: 20, a: 15 },
    all: { level: 10, a: 5 },
    order: ['level', 'a'],
  },
  { name: 'nothing is found', found: {}, all: { level: 10 }, order: [] },
];

const list = (counts: Record<string, number>) =>
  Object.entries(counts).map(([name, entries]) => ({ name, entries }));

for (const { name, found, all, order } of rows)
  test(name, () => {
    const ordered = orderDistinctiveFirst(list(found), list(all)).map(each => each.name);
    assert.deepEqual(ordered, order);
  });
