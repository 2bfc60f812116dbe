/** Reads the `timestamp` of an entry: RFC 3339 down to the microsecond, or Unix milliseconds. */

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Unix microseconds; null when it is neither form. Digits beyond microseconds are cut off. */
export function readTimestampMicros(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.floor(value * 1000) : null;
  return typeof value === 'string' ? readRfc3339Micros(value) : null;
}

function readRfc3339Micros(text: string): number | null {
  const match = rfc3339.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  const isWithinDay = hour <= 23 && minute <= 59 && second <= 60 && offsetHour <= 23 && offsetMinute <= 59;
  if (!isWithinDay || !isDayOfCalendar(year, month, day)) return null;
  const fraction = Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  // A leap second becomes the last microsecond before it, because Unix time has no leap seconds.
  const [seconds, micros] = second === 60 ? [59, 999_999] : [second, fraction];
  const offsetMinutes = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -1 : 1);
  const millis = utcMillis(year, month, day) + ((hour * 60 + minute - offsetMinutes) * 60 + seconds) * 1000;
  return millis * 1000 + micros;
}

function isDayOfCalendar(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(utcMillis(year, month + 1, 0)).getUTCDate();
}

/** Unlike Date.UTC, takes the years 0 to 99 as they are, not as 1900 to 1999. */
function utcMillis(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}
