/** Reads dates in the current and the two obsolete formats of RFC 9110, section 5.6.7. */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const forms = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** Returns Unix milliseconds in whole seconds, or null for other texts. */
export function parseHttpDate(text: string, now: number): number | null {
  for (const form of forms) {
    const parts = form.exec(text.trim())?.groups;
    if (parts === undefined) continue;
    const [hour = 0, minute = 0, second = 0] = (parts.time ?? '').split(':').map(Number);
    const [day, month] = [Number(parts.day), months.indexOf(parts.month ?? '')];
    const date = new Date(
      Date.UTC(fullYear(parts.year ?? '', now), month, day, hour, minute, Math.min(second, 59)),
    );
    const isReal =
      month !== -1 && date.getUTCDate() === day && date.getUTCHours() === hour && minute < 60 && second <= 60;
    return isReal ? date.getTime() : null;
  }
  return null;
}

/** Two digits mean a year at most fifty years ahead. */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
