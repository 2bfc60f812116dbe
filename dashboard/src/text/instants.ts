/** Points in time, as people say them. */

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** `3 minutes ago`, `in 2 days`; under a minute `just now`. */
export function formatRelative(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}

export function formatExact(at: string): string {
  return exact.format(new Date(at));
}

export function formatDay(at: string): string {
  return day.format(new Date(at));
}

const time = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' });

export function formatTime(at: string): string {
  return time.format(new Date(at));
}
