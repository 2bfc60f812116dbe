/** Reads RFC 3339 instants. */

const dayMs = 86_400_000;
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
/** The position of the fraction or the zone. */
const secondsEnd = 'YYYY-MM-DDThh:mm:ss'.length;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The calendar repeats after this many years. `Date.UTC` misreads the years 0 to 99. */
const cycle = { years: 400, ms: 146_097 * dayMs };

type Instant = { ms: number; microsOfMs: number };

/** Returns Unix microseconds of an RFC 3339 instant, or null for other texts. Truncates to microseconds. */
export function parseInstantMicros(text: string): number | null {
  const instant = parseInstant(text);
  return instant && instant.ms * 1000 + instant.microsOfMs;
}

/** Returns null for texts that are not RFC 3339 instants. Truncates to microseconds. */
export function parseInstant(text: string): Instant | null {
  if (!rfc3339.test(text)) return null;
  const [year, month, day] = [readDigits(text, 0, 4), readDigits(text, 5, 7), readDigits(text, 8, 10)];
  const [hour, minute] = [readDigits(text, 11, 13), readDigits(text, 14, 16)];
  const second = readDigits(text, 17, secondsEnd);
  const offsetMinutes = readOffsetMinutes(text);
  if (hour > 23 || minute > 59 || second > 60 || offsetMinutes === null) return null;
  if (!isDayOfCalendar(year, month, day)) return null;
  const minuteMs = Date.UTC(year + cycle.years, month - 1, day, hour, minute - offsetMinutes) - cycle.ms;
  if (second === 60) return readLeapSecond(minuteMs);
  const micros = readMicros(text);
  const millis = Math.floor(micros / 1000);
  return { ms: minuteMs + second * 1000 + millis, microsOfMs: micros - millis * 1000 };
}

/**
 * RFC 3339, 5.7, allows a leap second only at the end of a month in UTC. It becomes the last microsecond before it, because Unix time has no leap
 * seconds.
 */
function readLeapSecond(minuteMs: number): Instant | null {
  const endMs = minuteMs + 60_000;
  const isEndOfMonth = endMs % dayMs === 0 && new Date(endMs).getUTCDate() === 1;
  return isEndOfMonth ? { ms: endMs - 1, microsOfMs: 999 } : null;
}

function isDayOfCalendar(year: number, month: number, day: number): boolean {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeapYear ? 29 : (monthDays[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

/** Returns null for invalid hours and minutes. */
function readOffsetMinutes(text: string): number | null {
  const start = text.length - '+00:00'.length;
  const sign = text.charAt(start);
  if (sign !== '+' && sign !== '-') return 0;
  const [hours, minutes] = [readDigits(text, start + 1, start + 3), readDigits(text, start + 4, start + 6)];
  if (hours > 23 || minutes > 59) return null;
  return (hours * 60 + minutes) * (sign === '-' ? -1 : 1);
}

/** Returns the microseconds in the fraction of the second. */
function readMicros(text: string): number {
  if (text.charAt(secondsEnd) !== '.') return 0;
  let micros = 0;
  for (let [index, unit] = [secondsEnd + 1, 100_000]; unit >= 1; index++, unit /= 10) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    micros += digit * unit;
  }
  return micros;
}

/** Expects digits. */
function readDigits(text: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) value = value * 10 + text.charCodeAt(index) - 48;
  return value;
}
