/** Divides windows that may overlap into granules, and joins the values of granules into values of windows. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { LogWindowsQuestion, SplitWindows, WindowMeasure } from '@tapedeck/log-entries';
import type { LogQueries } from './logQueries.ts';

type Ask = LogQueries['findWindows'];

/** Granules of equal length; the first begins with the first window. */
export type Granules = { lengthMicros: number; perStep: number; perWindow: number; count: number };

const joinedMax = 12_000_000; // windows of all groups, empty ones included: some hundred megabytes
const granulesMax = 1_000_000; // a day at each second has 90,000
/** They fit into 16 bits, which the engine groups faster. */
export const shortGranulesMax = 60_000;
const groupsInATurn = 16; // there may be 200,000

/** Divides windows into granules; null if there would be too many, or if the measure does not add up. */
export function divideIntoGranules({ windows, measure }: LogWindowsQuestion): Granules | null {
  const { rangeMicros, count } = windows;
  const stepMicros = count === 1 ? rangeMicros : windows.stepMicros;
  const lengthMicros = findDivisor(stepMicros, rangeMicros);
  const perStep = stepMicros / lengthMicros;
  const perWindow = rangeMicros / lengthMicros;
  const granules = perStep * (count - 1) + perWindow;
  return granules > granulesMax || (perWindow > 1 && !addsUp(measure))
    ? null
    : { lengthMicros, perStep, perWindow, count: granules };
}

function addsUp({ statistic }: WindowMeasure): boolean {
  return ['count', 'bytes', 'sum', 'min', 'max'].includes(statistic);
}

/** Finds the greatest common divisor of two positive integers. */
function findDivisor(one: number, other: number): number {
  let [divisor, rest] = [one, other];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return divisor;
}

/** Whether the windows may be few although too many of their granules have entries. */
export function mayHaveFewWindows({ count }: Granules): boolean {
  return count > shortGranulesMax;
}

/** Joins the granules of each group. Returns null if there would be too many windows: each granule may be in thousands of them. */
export async function joinGranules(
  found: readonly SplitWindows[],
  granules: Granules,
  { windows, measure }: LogWindowsQuestion,
): Promise<SplitWindows[] | null> {
  if (granules.perWindow > granules.perStep && found.length * windows.count > joinedMax) return null;
  const takeTurn = takeTurns(groupsInATurn);
  const join = joins[measure.statistic] ?? add;
  const joined: SplitWindows[] = [];
  for (const { points, ...group } of found) {
    joined.push({ ...group, points: joinWindows(points, { ...granules, windows: windows.count, join }) });
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  return joined;
}

/**
 * Wraps a query: asks for granules instead of windows with overlaps or gaps, and joins them. Granules follow each other, so they can be cached by
 * the hour (`windowPieces.ts`).
 */
export function joinFromGranules(ask: Ask): Ask {
  return async (filter, question, signal) => {
    const { firstMicros, stepMicros, rangeMicros } = question.windows;
    const granules = stepMicros === rangeMicros ? null : divideIntoGranules(question);
    if (granules === null) return ask(filter, question, signal);
    const { lengthMicros, count } = granules;
    const windows = {
      firstMicros: firstMicros - rangeMicros + lengthMicros,
      stepMicros: lengthMicros,
      rangeMicros: lengthMicros,
      count,
    };
    const found = await ask(filter, { ...question, windows }, signal);
    if (found !== null) return joinGranules(found, granules, question);
    return mayHaveFewWindows(granules) ? ask(filter, question, signal) : null;
  };
}

const add = (one: number, other: number) => one + other;
const joins: Readonly<Partial<Record<WindowMeasure['statistic'], typeof add>>> = {
  min: Math.min,
  max: Math.max,
};

/** `perStep`: granules from one window to the next. `perWindow`: granules in a window. */
export type Windows = {
  perStep: number;
  perWindow: number;
  windows: number;
  join(one: number, other: number): number;
};

type Point = readonly [place: number, value: number];

/**
 * Takes time linear in the points and the non-empty windows, regardless of the granules per window. For points before
 * `middle`, it keeps the joined values from each point up to the middle. It joins later points as they come. A window that
 * passes the middle sets a new one.
 */
export function joinWindows(
  points: readonly Point[],
  { perStep, perWindow, windows, join }: Windows,
): Point[] {
  const sorted = points.toSorted(([one], [other]) => one - other);
  // Each granule is a window.
  if (perStep === 1 && perWindow === 1) return sorted.filter(([place]) => place < windows);
  const joined = Array<number>(sorted.length);
  const found: Point[] = [];
  let [first, middle, end] = [0, 0, 0];
  let behind: number | null = null;
  for (let window = 0; window < windows; window++) {
    const start = window * perStep;
    for (; end < sorted.length && sorted[end]![0] < start + perWindow; end++)
      behind = behind === null ? sorted[end]![1] : join(behind, sorted[end]![1]);
    while (first < end && sorted[first]![0] < start) first++;
    if (first > middle) {
      for (let at = end - 1; at >= first; at--)
        joined[at] = at === end - 1 ? sorted[at]![1] : join(sorted[at]![1], joined[at + 1]!);
      middle = end;
      behind = null;
    }
    if (first < end) {
      const before = first < middle ? joined[first]! : null;
      found.push([window, before === null || behind === null ? (before ?? behind)! : join(before, behind)]);
    } else {
      if (end === sorted.length) break;
      window = Math.max(window, Math.ceil((sorted[end]![0] - perWindow + 1) / perStep) - 1);
    }
  }
  return found;
}
