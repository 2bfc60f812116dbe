/** Tests which of the last day's outages are still reported after they end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counts } from '../../queries/home.ts';
import { findOutages } from './outage.ts';

const none: Counts = { debug: 0, info: 0, warn: 0, error: 0 };

function make(length: number, entries: (ago: number) => number): Counts[] {
  return Array.from({ length }, (_, index) => ({ ...none, info: entries(length - 1 - index) }));
}

const isWithin = (ago: number, from: number, to: number) => ago >= to && ago < from;
type Entries = (ago: number) => number;

const rows: readonly (readonly [
  title: string,
  minutes: Entries,
  hours: Entries,
  found: [number, number] | null,
])[] = [
  ['no interruption', () => 100, () => 6000, null],
  ['half an hour this morning', ago => (isWithin(ago, 90, 60) ? 0 : 100), () => 6000, [90, 60]],
  ['four minutes', ago => (isWithin(ago, 64, 60) ? 0 : 100), () => 6000, null],
  ['ten minutes at one entry a minute', ago => (isWithin(ago, 70, 60) ? 0 : 1), () => 60, null],
  ['breaks as usual', ago => (ago % 40 < 10 ? 0 : 100), () => 4500, null],
  ['an outage that has not ended', ago => (ago < 30 ? 0 : 100), () => 6000, null],
  ['two hours last night', () => 100, ago => (isWithin(ago, 14, 12) ? 0 : 6000), [14 * 60, 12 * 60]],
  ['two quiet hours every night', () => 100, ago => (isWithin(ago % 24, 14, 12) ? 0 : 6000), null],
  ['two hours at eight entries an hour', () => 0, ago => (isWithin(ago, 14, 12) ? 0 : 8), null],
  ['no entries at all', () => 0, () => 0, null],
];

for (const [title, minutes, hours, found] of rows) {
  test(title, () => {
    const [outage] = findOutages({ minutes: make(360, minutes), hours: make(169, hours) });
    assert.deepEqual(outage ? [outage.fromMinutesAgo, outage.toMinutesAgo] : null, found);
  });
}

type Slices = readonly (readonly [
  title: string,
  slices: Entries,
  hours: Entries,
  found: [number, number] | null,
])[];

/** The last minutes are calm. Slices of five minutes go back two days. */
const bySlices: Slices = [
  ['forty minutes yesterday', ago => (isWithin(ago, 248, 240) ? 0 : 300), () => 3600, [1240, 1200]],
  ['a few minutes yesterday', ago => (ago === 240 ? 0 : 300), () => 3600, [1205, 1200]],
  ['two days without an interruption', () => 300, () => 3600, null],
  ['quiet every night', ago => (isWithin(ago % 288, 150, 100) ? 0 : 300), () => 3600, null],
  [
    'quiet at that time the day before, too',
    ago => (isWithin(ago, 240, 216) ? 0 : 300),
    ago => (isWithin(ago % 24, 20, 18) ? 0 : 3600),
    null,
  ],
  [
    'a project that began yesterday',
    ago => (ago >= 300 || isWithin(ago, 108, 96) ? 0 : 300),
    ago => (ago >= 25 ? 0 : 3600),
    [540, 480],
  ],
  ['ten minutes with few entries', ago => (isWithin(ago, 242, 240) ? 0 : Number(ago % 2)), () => 30, null],
];

for (const [title, slices, hours, found] of bySlices) {
  test(`by slices: ${title}`, () => {
    const minutes = make(360, () => 60);
    const [outage] = findOutages({ minutes, slices: make(576, slices), hours: make(169, hours) });
    assert.deepEqual(outage ? [outage.fromMinutesAgo, outage.toMinutesAgo] : null, found);
  });
}

test('reports an outage this morning and one yesterday', () => {
  const minutes = make(360, ago => (isWithin(ago, 90, 60) ? 0 : 60));
  const slices = make(576, ago => (isWithin(ago, 18, 12) || isWithin(ago, 256, 240) ? 0 : 300));
  const found = findOutages({ minutes, slices, hours: make(169, () => 3600) });
  assert.deepEqual(
    found.map(({ fromMinutesAgo, toMinutesAgo }) => [fromMinutesAgo, toMinutesAgo]),
    [
      [90, 60],
      [1280, 1200],
    ],
  );
});
