/** Finds when errors were worst today or yesterday, so that Home still reports it later. */
import { sliceMinutes } from '../../queries/homeIntervals.ts';
import type { Arrivals } from './silence.ts';

/** `errors` came between these two times, in minutes before now. */
type WorstErrors = { errors: number; fromMinutesAgo: number; toMinutesAgo: number };

type Bin = { errors: number; from: number; to: number };

const binMinutes = 5;
const errorsMin = 50; // fewer are not worth reporting for a day
const timesMin = 5; // times the day's usual errors in the same time
const hoursADay = 24;

/** Returns null if no time stands out. */
export function findWorstErrors({ minutes, slices = [], hours }: Arrivals): WorstErrors | null {
  const ofMinutes = minutes.map(({ error }) => error);
  const ofHours = hours.slice(-hoursADay).map(({ error }) => error);
  const ofSlices = slices.map(({ error }) => error);
  const fine = findWorst(divide(ofMinutes, binMinutes, 1));
  // Minutes cover only the last hours. Before that it uses slices of a few minutes, or else hours.
  const known = Math.floor(minutes.length / 60);
  const before = slices.length > 0 ? divide(ofSlices, 1, sliceMinutes) : divide(ofHours, 1, 60);
  const coarse = findWorst(before, bin => bin.to >= known * 60);
  const worst = [fine, coarse].filter(each => each !== null).sort((a, b) => b.errors - a.errors)[0];
  if (worst === undefined) return null;
  const { from, to } = worst === fine ? trim(worst, ofMinutes) : worst;
  return { errors: worst.errors, fromMinutesAgo: from, toMinutesAgo: to };
}

/** Groups `size` counts into each bin; the last bin ends now. */
function divide(counts: readonly number[], size: number, minutesEach: number): Bin[] {
  const bins: Bin[] = [];
  for (let end = counts.length; end >= size; end -= size) {
    const errors = counts.slice(end - size, end).reduce((sum, count) => sum + count, 0);
    const to = (counts.length - end) * minutesEach;
    bins.unshift({ errors, from: to + size * minutesEach, to });
  }
  return bins;
}

/** Merges adjacent bins that stand out into one spike. */
function findWorst(bins: readonly Bin[], isMeant: (bin: Bin) => boolean = () => true): Bin | null {
  const usual = findMedian(bins.map(({ errors }) => errors));
  const spikes: (Bin & { bins: number })[] = [];
  for (const bin of bins) {
    if (bin.errors < timesMin * Math.max(1, usual) || !isMeant(bin)) continue;
    const last = spikes.at(-1);
    if (last?.to === bin.from) {
      last.errors += bin.errors;
      last.to = bin.to;
      last.bins += 1;
    } else spikes.push({ ...bin, bins: 1 });
  }
  const notable = spikes.filter(
    ({ errors, bins: count }) => errors >= Math.max(errorsMin, timesMin * usual * count),
  );
  return notable.sort((a, b) => b.errors - a.errors)[0] ?? null;
}

function findMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Shrinks the bin to the minutes with errors. */
function trim({ from, to }: Bin, minutes: readonly number[]): Pick<Bin, 'from' | 'to'> {
  const has = (minutesAgo: number) => (minutes[minutes.length - 1 - minutesAgo] ?? 0) > 0;
  let [begin, end] = [from, to];
  while (begin > end + 1 && !has(begin - 1)) begin -= 1;
  while (end < begin - 1 && !has(end)) end += 1;
  return { from: begin, to: end };
}
