/** Says between which two times something happened, with the day unless it is today. */
import { formatDay, formatTime } from './times.ts';

const dayMs = 86_400_000;

/** `between 22:35 and 23:15 yesterday`. */
export function formatBetween([from, to]: readonly [string, string], now: number): string {
  const [fromDay, toDay] = [formatDayOrToday(from, now), formatDayOrToday(to, now)];
  const begin = fromDay === toDay ? '' : fromDay;
  return `between ${formatTime(from)}${begin} and ${formatTime(to)}${toDay}`;
}

function formatDayOrToday(at: string, now: number): string {
  const day = formatDay(at);
  const ofAgo = (ms: number) => formatDay(new Date(now - ms).toISOString());
  if (day === ofAgo(0)) return '';
  return day === ofAgo(dayMs) ? ' yesterday' : ` on ${day}`;
}
