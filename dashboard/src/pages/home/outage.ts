/** Finds outages of today or yesterday: times when the usual entries did not come, now over. */
import { sliceMinutes } from '../../queries/homeIntervals.ts';
import { sumCounts } from './comparison.ts';
import type { Arrivals } from './silence.ts';

type Outage = { fromMinutesAgo: number; toMinutesAgo: number };

const breakMinutesMin = 5; // restarts are shorter
const missedEntriesMin = 30; // expected entries that did not come
const gapsTimes = 2; // this many times longer than any other break
const steadyShareMin = 0.5; // share of minutes with entries; below it, entries come in bursts
const entriesAnHourMin = 30;
const hoursADay = 24;

/**
 * Returns the longest outage of the last hours, by minutes, and the longest before them, by slices of a few minutes. Without slices it looks by the
 * hour.
 */
export function findOutages({ minutes, slices = [], hours }: Arrivals): Outage[] {
  const recent = findBreak({ counts: minutes.map(sumCounts), minutesEach: 1 });
  const ofHours = hours.map(sumCounts);
  if (slices.length === 0) {
    const found = recent ?? findOfHours(ofHours, Math.floor(minutes.length / 60));
    return found === null ? [] : [found];
  }
  const counts = slices.map(sumCounts);
  const ofSlices = findBreak({ counts: counts.slice(findFirst(counts)), minutesEach: sliceMinutes });
  // Minutes already cover the last hours.
  const isEarlier =
    ofSlices !== null && ofSlices.toMinutesAgo >= minutes.length && isUsuallyBusy(ofSlices, ofHours);
  return [recent, isEarlier ? ofSlices : null].filter(each => each !== null);
}

/** `from` and `to` are indexes; `to` is exclusive. */
type Break = { from: number; to: number };
type Counted = { counts: readonly number[]; minutesEach: number };

function findBreak({ counts, minutesEach }: Counted): Outage | null {
  const breaks = listBreaks(counts);
  const [longest, other = 0] = breaks.map(lengthOf);
  const found = breaks[0];
  if (found === undefined || longest === undefined || longest * minutesEach < breakMinutesMin) return null;
  const busy = counts.filter(count => count > 0);
  const isSteady = busy.length >= steadyShareMin * (counts.length - longest);
  const rate = busy.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length - longest);
  if (!isSteady || longest < gapsTimes * other || rate * longest < missedEntriesMin) return null;
  return {
    fromMinutesAgo: (counts.length - found.from) * minutesEach,
    toMinutesAgo: (counts.length - found.to) * minutesEach,
  };
}

/** True if the day before had entries at this time, or if there was no day before. */
function isUsuallyBusy({ fromMinutesAgo, toMinutesAgo }: Outage, hours: readonly number[]): boolean {
  const middle = (fromMinutesAgo + toMinutesAgo) / 2 / 60;
  const place = hours.length - 1 - Math.floor(middle) - hoursADay;
  return place < findFirst(hours) || (hours[place] ?? 0) >= entriesAnHourMin;
}

/** Finds hours without entries in which the day before, or the hours on both sides, had some. */
function findOfHours(counts: readonly number[], knownHours: number): Outage | null {
  const day = counts.slice(-hoursADay - 1);
  const found = listBreaks(day).find(({ from, to }) => {
    const isKnown = to > day.length - knownHours;
    const beside = Math.min(day[from - 1] ?? 0, day[to] ?? 0);
    const yesterday = counts.slice(0, -hoursADay).slice(-day.length).slice(from, to);
    const usual = yesterday.length === to - from ? Math.min(...yesterday) : beside;
    return !isKnown && Math.min(usual, beside) >= entriesAnHourMin;
  });
  if (found === undefined) return null;
  return { fromMinutesAgo: (day.length - found.from) * 60, toMinutesAgo: (day.length - found.to) * 60 };
}

/** Lists breaks between entries, longest first. A break that has not ended is a silence instead. */
function listBreaks(counts: readonly number[]): Break[] {
  const breaks: Break[] = [];
  let last = -1;
  for (const [place, count] of counts.entries()) {
    if (count === 0) continue;
    if (last >= 0 && place > last + 1) breaks.push({ from: last + 1, to: place });
    last = place;
  }
  return breaks.sort((one, other) => lengthOf(other) - lengthOf(one));
}

/** Returns the index of the first entry, for projects younger than the range. */
function findFirst(counts: readonly number[]): number {
  return Math.max(
    0,
    counts.findIndex(count => count > 0),
  );
}

function lengthOf({ from, to }: Break): number {
  return to - from;
}
