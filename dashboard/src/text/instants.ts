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

const clock = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
} as const;
const preciseTime = new Intl.DateTimeFormat('en', clock);

/** `14:05:09.250`, in the time of the browser. */
export function formatPreciseTime(at: string): string {
  return preciseTime.format(new Date(at));
}

const { fractionalSecondDigits: _, ...clockToSeconds } = clock;
const dayAndTime = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', ...clockToSeconds });
const yearToTime = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  ...clockToSeconds,
});

/** `Nov 20, 14:05:09`, in the time of the browser; another year than this is named. */
export function formatDayTime(at: string | number, now: number = Date.now()): string {
  return (isOfYear(at, now) ? dayAndTime : yearToTime).format(new Date(at));
}

/** From the first to the last: a day they share is named once. */
export function formatSpan(from: string, to: string, now: number = Date.now()): string {
  const isOneDay = new Date(from).toDateString() === new Date(to).toDateString();
  const end = isOneDay ? dayAndTime.format(new Date(to)).split(', ').at(-1) : formatDayTime(to, now);
  return `${formatDayTime(from, now)} to ${end}`;
}

export function isOfYear(at: string | number, now: number): boolean {
  return new Date(at).getFullYear() === new Date(now).getFullYear();
}

/** `1:05`, `2:03:09` */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const end = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}
