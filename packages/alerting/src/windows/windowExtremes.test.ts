/** Compares the extremes of windows with windows counted one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WindowHeights } from './windowExtremes.ts';

const [startMs, intervalMs] = [1_000_000, 100];

/** Counts, for each millisecond, the entries of the window that ends there. */
function countByHand(arrived: readonly number[], windowMs: number, endMs: number) {
  const highest: number[] = [];
  const lowest: number[] = [];
  for (let ms = startMs; ms < endMs; ms++) {
    const count = arrived.filter(at => at > ms - windowMs && at <= ms).length;
    const interval = Math.floor((ms - startMs) / intervalMs);
    highest[interval] = Math.max(highest[interval] ?? 0, count);
    lowest[interval] = Math.min(lowest[interval] ?? count, count);
  }
  return { highest, lowest };
}

const rows: [string, readonly number[]][] = [
  ['nothing', []],
  ['one that stays in the window for long', [130]],
  ['entries that arrive just as others leave', [110, 160, 210, 260]],
  ['several at once, and some more much later', [5, 5, 5, 480, 481, 999]],
  ['continuously', Array.from({ length: 100 }, (_, index) => index * 10)],
]; // biome-ignore format: a table

for (const [name, offsets] of rows) {
  for (const windowMs of [10, 50, 250]) {
    test(`${name}, in windows of ${windowMs} ms`, () => {
      const arrived = offsets.map(offset => startMs + offset);
      const endMs = startMs + 1_000;
      const heights = new WindowHeights({ startMs, intervalMs, windowMs });
      for (const ms of arrived) heights.add(ms, 1);
      heights.end(endMs);
      const { highest, lowest } = heights;
      assert.deepEqual({ highest, lowest }, countByHand(arrived, windowMs, endMs));
    });
  }
}
