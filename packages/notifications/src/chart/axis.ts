/** Places the grid lines and labels of a chart. */

const countMax = 999e12; // labels have no letter for larger numbers

/** Limits a number of entries to what the chart can draw. */
export function boundCount(count: number): number {
  return count > 0 ? Math.min(count, countMax) : 0;
}

/** Returns lines at round numbers, from 0 to at least the largest value. */
export function listLines(largest: number): number[] {
  const rough = Math.max(largest, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 2.5, 5, 10].map(factor => factor * power).find(each => each >= rough)!, 1);
  const whole = step === 2.5 ? 3 : step; // counts are whole
  const lines = [0];
  while (lines.at(-1)! < largest || lines.length < 2) lines.push(lines.length * whole);
  return lines;
}

const letters: readonly [number, string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

/** `950`, `1.25K`, `12.5M`. */
export function labelCount(count: number): string {
  const [unit, letter] = letters.find(([each]) => count >= each * 0.999_95) ?? [1, ''];
  return `${Number((count / unit).toPrecision(3))}${letter}`;
}

/** `23:59`, with seconds or the day if the windows need them. In UTC. */
export function labelTime(at: number, windowMs: number, spanMs: number): string {
  const text = new Date(at).toISOString();
  if (spanMs > 36 * 3_600_000)
    return text.slice(5, 10) + (windowMs < 86_400_000 ? ` ${text.slice(11, 16)}` : '');
  return text.slice(11, windowMs % 60_000 === 0 && spanMs > 600_000 ? 16 : 19);
}
