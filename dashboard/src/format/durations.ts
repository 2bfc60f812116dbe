/** Durations, as people say and choose them. */
import { countThings } from './numbers.ts';

const seconds = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const;
export type DurationUnit = keyof typeof seconds;

/** Uses the largest unit that gives a whole number. */
export function splitDuration(lengthSeconds: number): { amount: number; unit: DurationUnit } {
  const units = ['day', 'hour', 'minute'] as const;
  const unit = units.find(each => lengthSeconds >= seconds[each] && lengthSeconds % seconds[each] === 0);
  return { amount: lengthSeconds / seconds[unit ?? 'second'], unit: unit ?? 'second' };
}

export function joinDuration(amount: number, unit: DurationUnit): number {
  return Math.round(amount * seconds[unit]);
}

/** `5 minutes`, `1 hour`, `90 seconds` */
export function formatSeconds(lengthSeconds: number): string {
  const { amount, unit } = splitDuration(lengthSeconds);
  return countThings(amount, unit);
}
