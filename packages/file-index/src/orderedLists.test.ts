/** Compares skipping through ordered lists with merging them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { skipOrdered } from './orderedLists.ts';

const compare = (one: number, other: number) => one - other;

/** A seed always gives the same numbers. */
function makeNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state;
  };
}

const lists: [string, (next: () => number) => number[][]][] = [
  ['many alike', next => Array.from({ length: 90 }, () => Array.from({ length: next() % 300 }, next))],
  ['one after another', () => Array.from({ length: 20 }, (_, list) => range(1000 * list, 1000))],
  ['one large and many empty lists', next => [[], range(0, 30_000), [], Array.from({ length: 9 }, next)]],
  ['nothing', () => [[], []]],
];

function range(first: number, length: number): number[] {
  return Array.from({ length }, (_, index) => first + index);
}

for (const [name, make] of lists)
  it(`finds where pages begin: ${name}`, () => {
    const sorted = make(makeNumbers(7)).map(list => list.toSorted(compare));
    const ordered = sorted.map(list => ({ count: list.length, at: (index: number) => list[index] ?? 0 }));
    const merged = sorted.flat().toSorted(compare);
    for (const offset of [0, 1, 2048, 2049, 5000, 9999, merged.length - 1, merged.length, 1e6]) {
      if (offset < 0) continue;
      const { starts, remaining: left } = skipOrdered(ordered, offset, compare);
      const behind = sorted.flatMap((list, index) => list.slice(starts[index])).toSorted(compare);
      assert.deepEqual(behind.slice(left), merged.slice(offset), `from ${offset}`);
      assert.ok(left <= 2048, `${left} are left of ${offset}`);
    }
  });
