/** Whether a project's entries have stopped coming: how long ago, and how many are usual at this time. */
import type { Counts } from '../../queries/home.ts';
import { sumCounts } from './comparison.ts';

/** Counts up to now, oldest first: a week of hours, and two days of slices of a few minutes. Empty if unknown. */
export type Arrivals = {
  minutes: readonly Counts[];
  slices?: readonly Counts[];
  hours: readonly Counts[];
};

/** `unit`: what the usual number is of. */
export type Silence = { minutes: number; usual: number; unit: 'minute' | 'hour' };

const silentMinutesMin = 5; // restarts and short breaks are no silence
const missedEntriesMin = 30; // expected entries of which none came
const gapsTimes = 2; // so much longer than the longest break before
const steadyShareMin = 0.5; // share of earlier minutes with entries; others come in bursts
const historyMinutesMin = 30; // younger installations are being tried out
const entriesAnHourMin = 10; // fewer may well be none for an hour
const hoursADay = 24;
const hoursAWeek = 7 * hoursADay;

/** null: entries come, or are too few or too irregular to miss any. */
export function findSilence({ minutes, hours }: Arrivals): Silence | null {
  const found = findMinutesOfSilence(minutes.map(sumCounts), findUsualOfHours(hours.map(sumCounts)));
  return found ?? findHoursOfSilence(hours.map(sumCounts));
}

/** Finds silence among entries that come all the time. `usual`: an hour of other days at this time; null if none is known. */
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

/** Looks by the hour: for entries that come in bursts, and for silences longer than the counts by minute cover. */
function findHoursOfSilence(hours: readonly number[]): Silence | null {
  const silent = hours.length - 1 - hours.findLastIndex(count => count > 0);
  const usual = findUsualOfHours(hours);
  if (silent < 1 || silent >= hours.length || usual === null || usual < entriesAnHourMin) return null;
  return { minutes: silent * 60, usual, unit: 'hour' };
}

/**
 * Entries of an hour at this time of the day, yesterday or a week ago, whichever had more. Where they ended in the hour after it they may
 * be ending now, so the smaller of both hours counts. null: there was nothing yet.
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
