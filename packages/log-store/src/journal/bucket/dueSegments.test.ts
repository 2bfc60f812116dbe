/** Tests when a lane takes waiting segments, and which ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseDue } from './dueSegments.ts';
import type { WaitingSegment } from './segmentRegistry.ts';

const now = 1_000_000;
const lanes = { shard: 'one', shards: ['one', 'two'], isHurried: false };

function makeSegment(
  name: string,
  changes: Partial<WaitingSegment> & { ageMs?: number } = {},
): WaitingSegment {
  const { ageMs = 0, ...rest } = changes;
  return {
    ...{ name, shard: 'one', rows: 100, bytes: 10_000, isSpread: false, isWanted: false, import: null },
    registeredAt: now - ageMs,
    ...rest,
  };
}

const cases: readonly {
  title: string;
  segments: readonly WaitingSegment[];
  isHurried?: boolean;
  taken: readonly string[];
}[] = [
  { title: 'little that just came waits for more', segments: [makeSegment('a')], taken: [] },
  {
    title: 'a second later all of it goes',
    segments: [makeSegment('a', { ageMs: 1_000 }), makeSegment('b')],
    taken: ['a', 'b'],
  },
  {
    title: 'what a question wants goes at once',
    segments: [makeSegment('a', { isWanted: true })],
    taken: ['a'],
  },
  {
    title: 'all goes when somebody is in a hurry',
    segments: [makeSegment('a'), makeSegment('b')],
    isHurried: true,
    taken: ['a', 'b'],
  },
  { title: 'much goes at once', segments: [makeSegment('a', { rows: 50_000 })], taken: ['a'] },
  {
    title: 'what is bound to an import stays',
    segments: [makeSegment('a', { ageMs: 5_000, import: { name: 'x', until: 5 } })],
    taken: [],
  },
  {
    title: 'what names another shard is left to that one',
    segments: [makeSegment('a', { shard: 'two', ageMs: 1_900 }), makeSegment('b', { ageMs: 1_500 })],
    taken: ['b'],
  },
  {
    title: 'but not for long, and less so when a question waits',
    segments: [
      makeSegment('a', { shard: 'two', ageMs: 2_000 }),
      makeSegment('b', { shard: 'two', ageMs: 500, isWanted: true }),
      makeSegment('c', { shard: 'two', ageMs: 499, isWanted: true }),
    ],
    taken: ['a', 'b'],
  },
  {
    title: 'what names a shard that nobody knows goes anywhere',
    segments: [makeSegment('a', { shard: 'gone', ageMs: 1_000 })],
    taken: ['a'],
  },
  {
    title: 'not more than an insert may take, the oldest first',
    segments: ['a', 'b', 'c'].map(name => makeSegment(name, { rows: 90_000 })),
    taken: ['a', 'b'],
  },
  {
    title: 'not more bytes than an insert may take, and one at least',
    segments: ['a', 'b'].map(name => makeSegment(name, { bytes: 40_000_000, ageMs: 1_000 })),
    taken: ['a'],
  },
];

for (const { title, segments, isHurried = false, taken } of cases) {
  test(title, () => {
    const due = chooseDue({ now, segments, silent: [] }, { ...lanes, isHurried });
    assert.deepEqual(
      due.map(({ name }) => name),
      taken,
    );
  });
}
