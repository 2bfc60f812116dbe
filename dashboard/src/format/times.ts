/** Formats points in time. */
import { hourCycle, hourDigits, locale } from './locale.ts';

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en'); // "yesterday" would be wrong for 47 hours ago
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle });

const nearlyWhole = 0.98;

/** `3 minutes ago`, `in 2 days`; under a minute `just now`. */
export function formatRelative(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  for (const [unit, length] of units) {
    // A week-long span still has a week left a moment after it began.
    if (seconds >= length * nearlyWhole) return relative.format(Math.round(seconds / length), unit);
    if (-seconds >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}

export function formatExact(at: string): string {
  return exact.format(new Date(at));
}

export function formatDay(at: string, zone: Zone = 'local'): string {
  return formatsOf(zone).day.format(new Date(at));
}

const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', hourCycle });

export function formatTime(at: string): string {
  return time.format(new Date(at));
}

/** A time zone: `local` for this browser's, `utc`, or a place such as `Europe/Oslo`. */
export type Zone = string;

/** Returns options for `Intl`. For an unknown zone, falls back to the browser's. */
export function optionsOf(zone: Zone): { timeZone?: string } {
  if (zone === 'local') return {};
  if (zone === 'utc') return { timeZone: 'UTC' };
  return isZone(zone) ? { timeZone: zone } : {};
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Writes `Europe/Isle_of_Man` for people. */
export function nameZone(zone: Zone): string {
  return zone.replaceAll('_', ' ');
}

/** `In UTC`, for fields where users type times. */
export function describeZone(zone: Zone): string {
  if (zone === 'local') return 'In your browser’s time zone';
  return `In ${zone === 'utc' ? 'UTC' : nameZone(zone)}`;
}

/** Creates a zone's formats on first use. */
export function keepByZone<T>(create: (zone: Intl.DateTimeFormatOptions) => T): (zone: Zone) => T {
  const made = new Map<Zone, T>();
  return zone => {
    const known = made.get(zone) ?? create(optionsOf(zone));
    made.set(zone, known);
    return known;
  };
}

const clock = { hour: hourDigits, minute: '2-digit', second: '2-digit', hourCycle } as const;
const monthAndDay = { month: 'short', day: 'numeric' } as const;
const formatsOf = keepByZone(createFormats);

function createFormats(zone: Intl.DateTimeFormatOptions) {
  const create = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...zone, ...options });
  return {
    preciseTime: create({ ...clock, fractionalSecondDigits: 3 }),
    clockTime: create(clock),
    dayAndTime: create({ ...monthAndDay, ...clock }),
    yearToTime: create({ year: 'numeric', ...monthAndDay, ...clock }),
    dayToMilliseconds: create({ ...monthAndDay, ...clock, fractionalSecondDigits: 3 }),
    yearToMilliseconds: create({ year: 'numeric', ...monthAndDay, ...clock, fractionalSecondDigits: 3 }),
    day: create({ dateStyle: 'medium' }),
    year: create({ year: 'numeric' }),
  };
}

/** `14:05:09.250` */
export function formatPreciseTime(at: string, zone: Zone = 'local'): string {
  return formatsOf(zone).preciseTime.format(new Date(at));
}

type Reading = { now?: number; zone?: Zone };

/** `Nov 20, 14:05:09`, with the year unless it is this one. */
export function formatDayTime(
  at: string | number,
  { now = Date.now(), zone = 'local' }: Reading = {},
): string {
  const { dayAndTime, yearToTime } = formatsOf(zone);
  return (isOfYear(at, now, zone) ? dayAndTime : yearToTime).format(new Date(at));
}

/** `Nov 20, 14:05:09.250` */
export function formatPreciseDayTime(at: string, { now = Date.now(), zone = 'local' }: Reading = {}): string {
  const { dayToMilliseconds, yearToMilliseconds } = formatsOf(zone);
  return (isOfYear(at, now, zone) ? dayToMilliseconds : yearToMilliseconds).format(new Date(at));
}

/** Formats a span from its first to its last moment; a shared day appears once. */
export function formatSpan(
  from: string,
  to: string,
  { now = Date.now(), zone = 'local' }: Reading = {},
): string {
  const { day, clockTime } = formatsOf(zone);
  const isOneDay = day.format(new Date(from)) === day.format(new Date(to));
  const end = isOneDay ? clockTime.format(new Date(to)) : formatDayTime(to, { now, zone });
  return `${formatDayTime(from, { now, zone })} to ${end}`;
}

export function isOfYear(at: string | number, now: number, zone: Zone = 'local'): boolean {
  if (zone === 'local') return new Date(at).getFullYear() === new Date(now).getFullYear();
  const { year } = formatsOf(zone);
  return year.format(new Date(at)) === year.format(new Date(now));
}

/** `1:05`, `2:03:09` */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const end = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}
