/** Converts between an instant and what a wall clock in a time zone shows. */
import { keepByZone, type Zone } from './times.ts';

/** `month`: 1 to 12. */
type WallTime = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
};

const formatIn = keepByZone(
  zone =>
    new Intl.DateTimeFormat('en', {
      ...zone,
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    }),
);

/** Precise to the second. */
export function readWall(at: number, zone: Zone): WallTime {
  const parts = new Map(
    formatIn(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type) ?? 0);
  return {
    year: parts.get('era') === 'BC' ? 1 - read('year') : read('year'),
    month: read('month'),
    day: read('day'),
    hour: read('hour'),
    minute: read('minute'),
    second: read('second'),
    millisecond: 0,
  };
}

/** Returns Unix milliseconds. Reads a time skipped by daylight saving as if the clock had not changed. */
export function findMoment(wall: WallTime, zone: Zone): number {
  const asUtc = writeUtc(wall);
  const guess = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(guess, zone);
}

function writeUtc({ year, month, day, hour, minute, second, millisecond }: WallTime): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC moves years below 100 into the 1900s
  return date.setUTCHours(hour, minute, second, millisecond);
}

/** Returns how far the zone's clocks are ahead of UTC. */
function offsetAt(at: number, zone: Zone): number {
  if (Number.isNaN(at) || Math.abs(at) > 8.64e15) return 0;
  const second = Math.floor(at / 1000) * 1000;
  return writeUtc(readWall(second, zone)) - second;
}
