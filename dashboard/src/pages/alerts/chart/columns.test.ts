/** Tests bars, round heights, and thresholds that people would choose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeColumns, findTop, listHeights, roundThreshold, stepOf } from './columns.ts';

const windows = {
  startAt: '2026-01-01T00:00:00.000Z',
  intervalSeconds: 1800,
  series: [
    { value: 'a', highest: [1, 5, 2, 2], lowest: [0, 1, 1, 1] },
    { value: 'b', highest: [3, 0, 9, 0], lowest: [0, 0, 2, 0] },
  ],
};

test('draws the value nearest to firing', () => {
  const { counts, most, startMs, endMs } = computeColumns(windows, { fewest: false, windowSeconds: 60 });
  assert.deepEqual([counts, most], [[3, 5, 9, 2], 9]);
  assert.equal(endMs - startMs, 4 * 1_800_000);
});

test('does not treat windows from before the week as silence', () => {
  const { counts } = computeColumns(windows, { fewest: true, windowSeconds: 3600 });
  assert.deepEqual(counts, [1, 1, 1, 0]);
});

test('draws nothing without data', () => {
  const { counts, most } = computeColumns({ ...windows, series: [] }, { fewest: false, windowSeconds: 60 });
  assert.deepEqual([counts, most], [[], 0]);
});

test('rounds thresholds to whole numbers, larger ones more coarsely', () => {
  assert.deepEqual([0, 0.4, 7.6, 44.4, 123.4, 98_765].map(roundThreshold), [1, 1, 8, 44, 120, 99_000]);
  assert.deepEqual([1, 10, 99, 100, 5000].map(stepOf), [1, 1, 1, 10, 100]);
});

test('labels one or two round heights', () => {
  assert.deepEqual([3.9, 13, 58.5, 1300].map(listHeights), [[2], [5, 10], [20, 40], [500, 1000]]);
});

test('cuts a spike that would hide the usual bars and the threshold', () => {
  const draw = (usual: number, spike: number, threshold: number) => {
    const counts = [...Array.from({ length: 99 }, () => usual), spike];
    return Math.round(findTop({ startMs: 0, endMs: 1, counts, most: Math.max(usual, spike) }, threshold));
  };
  assert.equal(draw(12, 1_000, 10), 48);
  assert.equal(draw(12, 1_000, 200), 1_300, 'the threshold is near the spike');
  assert.equal(draw(12, 60, 10), 78, 'all fit');
  assert.equal(draw(0, 0, 1), 4);
  assert.equal(draw(0, 5_000, 40), 160);
});
