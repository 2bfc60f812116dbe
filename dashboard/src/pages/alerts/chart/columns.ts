/** Computes the chart's columns: for each interval, the fullest window that ended in it, or the emptiest. */
import type { RulePreview } from '../../../queries/rules.ts';

type Windows = NonNullable<RulePreview['windows']>;

export type Columns = { startMs: number; endMs: number; counts: readonly number[]; most: number };

/** For a grouped rule, uses the value closest to firing. `fewest`: the rule looks for silence. */
export function computeColumns(
  { startAt, intervalSeconds, series }: Windows,
  { fewest, windowSeconds }: { fewest: boolean; windowSeconds: number },
): Columns {
  const startMs = Date.parse(startAt);
  const rows = series.map(({ highest, lowest }) => (fewest ? lowest : highest));
  const length = Math.max(0, ...rows.map(row => row.length));
  const counts = Array.from({ length }, (_, index) => {
    const held = rows.map(row => row[index] ?? 0);
    return fewest ? Math.min(...held) : Math.max(...held);
  });
  // The first windows began before the range, so their counts are too low.
  const cut = Math.ceil(windowSeconds / intervalSeconds);
  const whole = fewest ? counts.map((count, index) => (index < cut ? (counts[cut] ?? 0) : count)) : counts;
  const endMs = startMs + Math.max(1, length) * intervalSeconds * 1000;
  return { startMs, endMs, counts: whole, most: Math.max(0, ...counts) };
}

/** Rounds as people do: large numbers more coarsely. */
export function roundThreshold(value: number): number {
  const step = stepOf(value);
  return Math.max(1, Math.round(value / step) * step);
}

const usualShare = 0.95; // the few highest bars may be spikes
const [cutFrom, cutAt] = [8, 4]; // times the usual; below, all bars fit and the line can still be moved
const scaleMin = 3;
const roomAbove = 1.3; // times the highest bar, so that users can drag the line higher

/** Returns the count at the chart's upper edge. Cuts spikes, beside which usual bars and the threshold would be a pixel high. */
export function findTop({ counts, most }: Columns, threshold: number): number {
  const sorted = counts.toSorted((one, other) => one - other);
  const usual = Math.max(sorted[Math.floor((sorted.length - 1) * usualShare)] ?? 0, threshold, scaleMin);
  return most > usual * cutFrom ? usual * cutAt : Math.max(most, usual) * roomAbove;
}

/** Returns the step for arrow keys. */
export function stepOf(value: number): number {
  return Math.max(1, 10 ** (Math.floor(Math.log10(Math.max(value, 1))) - 1));
}

/** Returns two or three round heights for grid lines. */
export function listHeights(top: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(top / 2));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => top / each <= 3.5) ?? power;
  const whole = Math.max(1, step);
  return Array.from({ length: Math.floor(top / whole) }, (_, index) => (index + 1) * whole);
}
