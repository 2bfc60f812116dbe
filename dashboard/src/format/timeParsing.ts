/** Reads moments as people type and paste them: `now-90m`, a date and time in their language's order, those of logs and headers, Unix time. */
import { hourCycle, hourDigits, locale } from './locale.ts';
import { keepByZone, type Zone } from './times.ts';
import { findMoment, readWall } from './wallClock.ts';

const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };
const relative = /^now(?:\s*([+-])\s*(\d{1,6})\s*([smhdw]))?$/i;
const unixTime = /^\d{10}(?:\d{3})?(?:\.\d+)?$/;
const withZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\s*(?:Z|UTC|[+-]\d\d:?\d\d)$/i;
/** `28/Nov/2026:18:00:00 +0000` in the logs of web servers, `Sat, 28 Nov 2026 18:00:00 GMT` in headers. */
const ofWeb =
  /^(?:[a-z]{3},\s*)?(\d{1,2})[/ ]([a-z]{3})[/ ](\d{4})[: ](\d\d:\d\d:\d\d)\s*(GMT|UTC|Z|[+-]\d{4})$/i;
const clock = String.raw`(?:[,T\s]+(?:at\s+)?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([AP])\.?M\.?)?)?`;
const numeric = new RegExp(String.raw`^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})${clock}$`, 'i');
const namedMonth = new RegExp(
  String.raw`^(?:(\d{1,2})\.?\s+([a-z]{3,9})\.?|([a-z]{3,9})\.?\s+(\d{1,2}))(?:,?\s+(\d{4}))?${clock}$`,
  'i',
);
const clockAlone = new RegExp(`^${clock.replace('[,T\\s]+', '').replace(/\?$/, '')}$`, 'i');
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The browser decides the order of day and month, such as in `3/1/2026`. */
const isMonthFirst =
  new Intl.DateTimeFormat(locale, { dateStyle: 'short' })
    .formatToParts(0)
    .find(({ type }) => type !== 'literal')?.type === 'month';

const formatIn = keepByZone(
  zone =>
    new Intl.DateTimeFormat(locale, {
      ...zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: hourDigits,
      minute: '2-digit',
      second: '2-digit',
      hourCycle,
    }),
);

/** Writes a moment so that this module can read it, to the second. */
export function writeMoment(at: string | number, zone: Zone = 'local'): string {
  return formatIn(zone).format(new Date(at)).replaceAll('\u202f', ' ');
}

/** The current time, and the zone for texts without one. */
type Reading = { now: number; zone?: Zone };

/** Returns Unix milliseconds; null if the text is not a moment. */
export function readMoment(text: string, { now, zone = 'local' }: Reading): number | null {
  const wanted = text.replaceAll(/[\u202f\u00a0]/g, ' ').replaceAll(/^[\s[("']+|[\s\])"']+$/g, '');
  const [, sign, amount, unit] = relative.exec(wanted) ?? [];
  if (unit !== undefined) return now + Number(`${sign}${amount}`) * (unitMs[unit.toLowerCase()] ?? 0);
  if (/^now$/i.test(wanted)) return now;
  if (unixTime.test(wanted)) return Number(wanted) * (/^\d{13}/.test(wanted) ? 1 : 1000);
  if (withZone.test(wanted))
    return check(
      Date.parse(
        wanted
          .replace(/\s*UTC$/i, 'Z')
          .replace(' ', 'T')
          .replace(',', '.'),
      ),
    );
  if (ofWeb.test(wanted)) return check(Date.parse(wanted.replace(ofWeb, '$1 $2 $3 $4 $5')));
  return readNumeric(wanted, zone) ?? readNamed(wanted, { now, zone }) ?? readClock(wanted, { now, zone });
}

type Day = { year: number; month: number; day: number };

function readNumeric(text: string, zone: Zone): number | null {
  const [found, first = '', second = '', third = '', ...time] = numeric.exec(text) ?? [];
  if (found === undefined) return null;
  const [one, two, three] = [Number(first), Number(second), Number(third)];
  if (first.length === 4) return compose({ year: one, month: two, day: three }, time, zone);
  if (third.length !== 4) return null;
  // People who put the day first write dots.
  const isDayFirst = text.includes('.') || !isMonthFirst;
  const orders = [
    { year: three, month: two, day: one },
    { year: three, month: one, day: two },
  ];
  // A pasted time may have another order than the reader's; 28/11 has only one.
  for (const day of isDayFirst ? orders : orders.toReversed()) {
    const at = compose(day, time, zone);
    if (at !== null) return at;
  }
  return null;
}

/** Reads a date without a year, as in lists: the latest such day. */
function readNamed(text: string, { now, zone }: Required<Reading>): number | null {
  const [found, day1, month1, month2, day2, year, ...time] = namedMonth.exec(text) ?? [];
  if (found === undefined) return null;
  const month = months.indexOf((month1 ?? month2 ?? '').slice(0, 3).toLowerCase()) + 1;
  if (month === 0) return null;
  const day = Number(day1 ?? day2);
  const { year: thisYear } = readWall(now, zone);
  const at = compose({ year: year === undefined ? thisYear : Number(year), month, day }, time, zone);
  const isToCome = year === undefined && at !== null && at > now + dayMs;
  return isToCome ? compose({ year: thisYear - 1, month, day }, time, zone) : at;
}

/** `14:05`: today. */
function readClock(text: string, { now, zone }: Required<Reading>): number | null {
  const [found, ...time] = clockAlone.exec(text) ?? [];
  return found === undefined ? null : compose(readWall(now, zone), time, zone);
}

/** `time`: hour, minute, second, fraction, and A or P. */
function compose(
  { year, month, day }: Day,
  time: readonly (string | undefined)[],
  zone: Zone,
): number | null {
  const [hourText = '0', minute = '0', second = '0', fraction = '0', half] = time;
  const hour = Number(hourText);
  const isHalf = half !== undefined;
  if (hour > (isHalf ? 12 : 23) || (isHalf && hour === 0)) return null;
  const ofDay = isHalf ? (hour % 12) + (half.toUpperCase() === 'P' ? 12 : 0) : hour;
  // Rejects April 31 and minute 70.
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && Number(minute) < 60;
  const clock = { hour: ofDay, minute: Number(minute), second: Number(second) };
  const millisecond = Math.floor(Number(`0.${fraction}`) * 1000);
  return isReal ? check(findMoment({ year, month, day, ...clock, millisecond }, zone)) : null;
}

function check(at: number): number | null {
  return Number.isNaN(at) || Math.abs(at) > 8.64e15 ? null : at;
}
