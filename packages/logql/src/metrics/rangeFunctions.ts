/** Computes range aggregations from the samples in a window. */
import type { RangeOperation } from '../language/tree.ts';

export type Sample = { readonly micros: number; readonly value: number };

type WindowFunction = (samples: readonly Sample[], rangeSeconds: number) => number;

const sum: WindowFunction = samples => samples.reduce((total, { value }) => total + value, 0);
const perSecond: WindowFunction = (samples, rangeSeconds) => sum(samples, rangeSeconds) / rangeSeconds;

/** Finds the function for an operation. It expects at least one sample, ordered by time. */
export function findWindowFunction(operation: RangeOperation, parameter: number | null): WindowFunction {
  switch (operation) {
    case 'count_over_time':
    case 'bytes_over_time':
    case 'sum_over_time':
      return sum;
    case 'rate':
    case 'bytes_rate':
      return perSecond;
    case 'rate_counter':
      return readCounter;
    case 'avg_over_time':
      return averageOfWindow;
    case 'min_over_time':
      return samples =>
        samples.reduce((least, { value }) => Math.min(least, value), Number.POSITIVE_INFINITY);
    case 'max_over_time':
      return samples => samples.reduce((most, { value }) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    case 'stdvar_over_time':
      return samples => variance(samples.map(({ value }) => value));
    case 'stddev_over_time':
      return samples => Math.sqrt(variance(samples.map(({ value }) => value)));
    case 'quantile_over_time':
      return samples =>
        quantile(
          parameter ?? 0,
          samples.map(({ value }) => value),
        );
    case 'first_over_time':
      return samples => samples[0]?.value ?? 0;
    case 'last_over_time':
      return samples => samples.at(-1)?.value ?? 0;
    case 'absent_over_time':
      return () => 1;
  }
}

/** Computes in Loki's order, so that rounding agrees. */
const averageOfWindow: WindowFunction = samples =>
  samples.reduce((mean, { value }, index) => mean + (value / (index + 1) - mean / (index + 1)), 0);

export function average(values: readonly number[]): number {
  return values.reduce((mean, value, index) => mean + (value - mean) / (index + 1), 0);
}

/** Computes the variance of a population, not of a sample. */
export function variance(values: readonly number[]): number {
  let mean = 0;
  let squares = 0;
  for (const [index, value] of values.entries()) {
    const distance = value - mean;
    mean += distance / (index + 1);
    squares += distance * (value - mean);
  }
  return squares / values.length;
}

/** Computes a quantile, and interpolates linearly between two values. */
function quantile(share: number, values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return interpolate(share, sorted.length, place => sorted[place] ?? 0);
}

/** Computes the quantile of values in order. `find` returns the value at a place. */
export function interpolate(share: number, count: number, find: (place: number) => number): number {
  if (count === 0 || Number.isNaN(share)) return Number.NaN;
  if (share < 0) return Number.NEGATIVE_INFINITY;
  if (share > 1) return Number.POSITIVE_INFINITY;
  const rank = share * (count - 1);
  const lower = Math.floor(rank);
  const weight = rank - lower;
  return find(lower) * (1 - weight) + find(Math.min(lower + 1, count - 1)) * weight;
}

const farFactor = 1.1; // times the mean distance between samples; a larger gap does not reach the window's end

/** The samples of a counter. `lost`: the sum of its values before resets. */
export type Counter = { first: Sample; last: Sample; count: number; lost: number };

function readCounter(samples: readonly Sample[], rangeSeconds: number): number {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return 0;
  let lost = 0;
  let before = first.value;
  for (const { value } of samples) {
    if (value < before) lost += before;
    before = value;
  }
  return rateOfCounter({ first, last, count: samples.length, lost }, rangeSeconds);
}

/**
 * Computes the rate of a counter, which only grows or resets. Loki measures the distances between samples in
 * microseconds and the window in seconds, so the ends of the window hardly count. Dashboards expect Loki's numbers.
 */
export function rateOfCounter({ first, last, count, lost }: Counter, rangeSeconds: number): number {
  if (count < 2) return 0;
  const grown = last.value - first.value + lost;
  const sampled = last.micros - first.micros;
  const usual = sampled / (count - 1);
  let toStart = rangeSeconds;
  if (grown > 0 && first.value >= 0) toStart = Math.min(toStart, sampled * (first.value / grown));
  const reached = sampled + (toStart < usual * farFactor ? toStart : usual / 2);
  return (grown * (reached / sampled)) / rangeSeconds;
}
