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
    name,
    shard: 'one',
    rows: 100,
    bytes: 10_000,
    isSpread: false,
    isWanted: false,
    import: null,
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
  { title: 'lets a small new segment wait for more', segments: [makeSegment('a')], taken: [] },
  {
    title: 'takes everything after a second',
    segments: [makeSegment('a', { ageMs: 1_000 }), makeSegment('b')],
    taken: ['a', 'b'],
  },
  {
    title: 'takes a segment at once when a query needs it',
    segments: [makeSegment('a', { isWanted: true })],
    taken: ['a'],
  },
  {
    title: 'takes everything when a caller is in a hurry',
    segments: [makeSegment('a'), makeSegment('b')],
    isHurried: true,
    taken: ['a', 'b'],
  },
  { title: 'takes a large segment at once', segments: [makeSegment('a', { rows: 50_000 })], taken: ['a'] },
  {
    title: 'leaves a segment that belongs to an import',
    segments: [makeSegment('a', { ageMs: 5_000, import: { name: 'x', until: 5 } })],
    taken: [],
  },
  {
    title: 'leaves a segment of another shard to that shard',
    segments: [makeSegment('a', { shard: 'two', ageMs: 1_900 }), makeSegment('b', { ageMs: 1_500 })],
    taken: ['b'],
  },
  {
    title: 'takes a segment of another shard after a while, sooner when a query waits',
    segments: [
      makeSegment('a', { shard: 'two', ageMs: 2_000 }),
      makeSegment('b', { shard: 'two', ageMs: 500, isWanted: true }),
      makeSegment('c', { shard: 'two', ageMs: 499, isWanted: true }),
    ],
    taken: ['a', 'b'],
  },
  {
    title: 'takes a segment of an unknown shard on any shard',
    segments: [makeSegment('a', { shard: 'gone', ageMs: 1_000 })],
    taken: ['a'],
  },
  {
    title: 'takes at most the rows of one insert, oldest first',
    segments: ['a', 'b', 'c'].map(name => makeSegment(name, { rows: 90_000 })),
    taken: ['a', 'b'],
  },
  {
    title: 'takes at most the bytes of one insert, but at least one segment',
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
