/** Finds out whether a project's entries have stopped, since when, and how many are usual at this time. */
import type { Counts } from '../../queries/home.ts';
import { sumCounts } from './comparison.ts';

/** Counts up to now, oldest first: a week of hours, and two days of slices of a few minutes. Empty if unknown. */
export type Arrivals = {
  minutes: readonly Counts[];
  slices?: readonly Counts[];
  hours: readonly Counts[];
};

/** `unit`: the unit of `usual`. */
export type Silence = { minutes: number; usual: number; unit: 'minute' | 'hour' };

const silentMinutesMin = 5; // restarts and short breaks do not count
const missedEntriesMin = 30; // expected entries that did not come
const gapsTimes = 2; // this many times longer than the longest break before
const steadyShareMin = 0.5; // share of earlier minutes with entries; below it, entries come in bursts
const historyMinutesMin = 30; // younger installations are still being tried out
const entriesAnHourMin = 10; // with fewer, an hour without any is normal
const hoursADay = 24;
const hoursAWeek = 7 * hoursADay;

/** Returns null if entries come, or are too few or too irregular to miss. */
export function findSilence({ minutes, hours }: Arrivals): Silence | null {
  const found = findMinutesOfSilence(minutes.map(sumCounts), findUsualOfHours(hours.map(sumCounts)));
  return found ?? findHoursOfSilence(hours.map(sumCounts));
}

/** Finds silence among steady entries. `usual`: an hour's entries at this time on other days; null if unknown. */
function findMinutesOfSilence(minutes: readonly number[], usual: number | null): Silence | null {
  const last = minutes.findLastIndex(count => count > 0);
  const first = minutes.findIndex(count => count > 0);
  const silent = minutes.length - 1 - last;
  const before = minutes.slice(first, last + 1);
  if (first === -1 || silent < silentMinutesMin || before.length < historyMinutesMin) return null;
  const busy = before.filter(count => count > 0).length;
  if (busy / before.length < steadyShareMin || silent < gapsTimes * findLongestGap(before)) return null;
  const recent = before.reduce((sum, count) => sum + count, 0) / before.length;
  const rate = Math.min(recent, usual === null ? recent : usual / 60);
  return rate * silent < missedEntriesMin ? null : { minutes: silent, usual: rate, unit: 'minute' };
}

/** Looks by the hour: for bursts, and for silences longer than the minute counts cover. */
function findHoursOfSilence(hours: readonly number[]): Silence | null {
  const silent = hours.length - 1 - hours.findLastIndex(count => count > 0);
  const usual = findUsualOfHours(hours);
  if (silent < 1 || silent >= hours.length || usual === null || usual < entriesAnHourMin) return null;
  return { minutes: silent * 60, usual, unit: 'hour' };
}

/**
 * Returns an hour's entries at this time yesterday or a week ago, whichever is more. Takes the smaller of that hour and the next, because entries
 * that ended then may be ending now. null if there was no entry yet.
 */
function findUsualOfHours(hours: readonly number[]): number | null {
  const first = hours.findIndex(count => count > 0);
  const past = [hoursADay, hoursAWeek].flatMap(ago => {
    const place = hours.length - 1 - ago;
    if (first === -1 || place < first) return [];
    return [Math.min(hours[place] ?? 0, hours[place + 1] ?? 0)];
  });
  return past.length === 0 ? null : Math.max(...past);
}

function findLongestGap(minutes: readonly number[]): number {
  let [longest, current] = [0, 0];
  for (const count of minutes) {
    current = count > 0 ? 0 : current + 1;
    longest = Math.max(longest, current);
  }
  return longest;
}
