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

const dayAndTime = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `Nov 20, 14:05:09`, in the time of the browser. */
export function formatDayTime(at: string | number): string {
  return dayAndTime.format(new Date(at));
}

/** `1:05`, `2:03:09` */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const end = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}
