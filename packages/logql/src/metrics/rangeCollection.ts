/** Collects samples, and computes a range aggregation at every step. */
import type { Label } from '../labels/labelSet.ts';
import { toSeconds } from '../language/durations.ts';
import type { RangeAggregation } from '../language/tree.ts';
import { LogqlMistake } from '../mistakes.ts';
import { findWindowFunction, type Sample } from './rangeFunctions.ts';
import { chooseLabels, keyOfLabels, type Series, type Steps } from './series.ts';
import { slideWindows, type Window } from './slidingWindows.ts';

/** `pointsMax` counts the steps of all series, including those without a value. */
export type RangeLimits = { seriesMax: number; samplesMax: number; pointsMax: number };

type Collected = { labels: readonly Label[]; samples: Sample[] };

/** Collects samples in ascending or descending order of time. */
export class RangeCollection {
  readonly #range: RangeAggregation;
  readonly #limits: RangeLimits;
  readonly #series = new Map<string, Collected>();
  #samples = 0;

  constructor(range: RangeAggregation, limits: RangeLimits) {
    this.#range = range;
    this.#limits = limits;
  }

  add(labels: readonly Label[], sample: Sample): void {
    const key = keyOfLabels(labels);
    const known = this.#series.get(key) ?? { labels, samples: [] };
    if (known.samples.length === 0) {
      this.#series.set(key, known);
      if (this.#series.size > this.#limits.seriesMax) throw tooManySeries(this.#limits.seriesMax);
    }
    known.samples.push(sample);
    if (++this.#samples > this.#limits.samplesMax)
      throw new LogqlMistake(
        `the query reads more than ${this.#limits.samplesMax} samples; select fewer lines, or a shorter time`,
      );
  }

  compute(steps: Steps): Series[] {
    const all = [...this.#series.values()];
    if (all.length * steps.count > this.#limits.pointsMax) throw tooManyPoints(this.#limits.pointsMax);
    for (const { samples } of all) sortByTime(samples);
    const computer = new WindowComputer(this.#range, steps);
    if (this.#range.operation === 'absent_over_time') return [computeAbsence(this.#range, all, computer)];
    return all
      .map(({ labels, samples }) => ({ labels, points: computer.compute(samples) }))
      .filter(({ points }) => points.some(point => point !== null));
  }
}

export function tooManySeries(seriesMax: number): LogqlMistake {
  return new LogqlMistake(
    `maximum number of series (${seriesMax}) reached for a single query; consider reducing query cardinality by adding ` +
      'more specific stream selectors, reducing the time range, or aggregating results with functions like sum(), count() or topk()',
  );
}

export function tooManyPoints(most: number): LogqlMistake {
  return new LogqlMistake(
    `the query would come to more than ${most} points; group by fewer labels, or ask for a longer step or a shorter time`,
  );
}

/** Sorts samples by time, and keeps the order of equal times. */
function sortByTime(samples: Sample[]): void {
  if ((samples.at(-1)?.micros ?? 0) < (samples[0]?.micros ?? 0)) samples.reverse();
  samples.sort((one, other) => one.micros - other.micros);
}

/** A window includes its end, which is its step, and excludes its start. */
export function listWindows(
  { rangeNs, offsetNs }: RangeAggregation,
  { firstMicros, stepMicros, count }: Steps,
) {
  const [rangeMicros, offsetMicros] = [rangeNs / 1000, offsetNs / 1000];
  return Array.from({ length: count }, (_, index) => {
    const toMicros = firstMicros + index * stepMicros - offsetMicros;
    return { afterMicros: toMicros - rangeMicros, toMicros };
  });
}

/** Of all series together: some ten milliseconds, or a hundred for quantiles. */
const readDirectlyMax = 2_000_000;

class WindowComputer {
  readonly #range: RangeAggregation;
  readonly #windows: ReturnType<typeof listWindows>;
  #readsLeft = readDirectlyMax;

  constructor(range: RangeAggregation, steps: Steps) {
    this.#range = range;
    this.#windows = listWindows(range, steps);
  }

  /** Reads the samples of each window in Loki's order, so that rounding agrees, unless it would read too many. */
  compute(samples: readonly Sample[]): (number | null)[] {
    const { operation, parameter, rangeNs } = this.#range;
    const windows = this.#locate(samples);
    const rangeSeconds = toSeconds(rangeNs);
    const reads = windows.reduce((total, { first, end }) => total + end - first, 0);
    if (reads > this.#readsLeft)
      return slideWindows({ operation, parameter, rangeSeconds }, samples, windows);
    this.#readsLeft -= reads;
    const compute = findWindowFunction(operation, parameter);
    return windows.map(({ first, end }) =>
      first === end ? null : compute(samples.slice(first, end), rangeSeconds),
    );
  }

  #locate(samples: readonly Sample[]): Window[] {
    let first = 0;
    let end = 0;
    return this.#windows.map(({ afterMicros, toMicros }) => {
      while (end < samples.length && (samples[end]?.micros ?? 0) <= toMicros) end++;
      while (first < end && (samples[first]?.micros ?? 0) <= afterMicros) first++;
      return { first, end };
    });
  }
}

function computeAbsence(
  range: RangeAggregation,
  all: readonly Collected[],
  computer: WindowComputer,
): Series {
  const samples = all.flatMap(each => each.samples).sort((one, other) => one.micros - other.micros);
  return invertPresence(range, computer.compute(samples));
}

/** Returns 1 at each step without a value, with the labels that the query matches by `=`. */
export function invertPresence(range: RangeAggregation, points: readonly (number | null)[]): Series {
  const asked = range.query.matchers.filter(({ operator }) => operator === '=');
  const labels = asked
    .filter(({ name }) => range.query.matchers.filter(matcher => matcher.name === name).length === 1)
    .map(({ name, value }): Label => [name, value])
    .filter(([, value]) => value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const kept = range.grouping === null ? labels : chooseLabels(labels, range.grouping);
  return { labels: kept, points: points.map(point => (point === null ? 1 : null)) };
}
