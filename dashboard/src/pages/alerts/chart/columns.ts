/** The columns of a chart of windows: how full the fullest was that ended in each stretch of time, or how empty the emptiest. */
import type { RulePreview } from '../../../queries/rules.ts';

type Windows = NonNullable<RulePreview['windows']>;

export type Columns = { startMs: number; endMs: number; counts: readonly number[]; most: number };

/** For a grouped rule, shows the value closest to firing. `fewest`: the rule looks for silence. */
export function layColumns(
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
  // The first windows began before what is looked at: they are not empty, but cut off.
  const cut = Math.ceil(windowSeconds / intervalSeconds);
  const whole = fewest ? counts.map((count, index) => (index < cut ? (counts[cut] ?? 0) : count)) : counts;
  const endMs = startMs + Math.max(1, length) * intervalSeconds * 1000;
  return { startMs, endMs, counts: whole, most: Math.max(0, ...counts) };
}

/** Numbers that people choose: the larger, the rounder. */
export function roundThreshold(value: number): number {
  const step = stepOf(value);
  return Math.max(1, Math.round(value / step) * step);
}

/** The step for arrow keys. */
export function stepOf(value: number): number {
  return Math.max(1, 10 ** (Math.floor(Math.log10(Math.max(value, 1))) - 1));
}

/** Two or three round heights to read a chart by. */
export function listHeights(top: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(top / 2));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => top / each <= 3.5) ?? power;
  const whole = Math.max(1, step);
  return Array.from({ length: Math.floor(top / whole) }, (_, index) => (index + 1) * whole);
}
