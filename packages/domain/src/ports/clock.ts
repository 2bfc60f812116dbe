/** Port to time, so that tests bring their own clock. */
import { systemMicros } from '@tapedeck/log-entries';

export type Clock = {
  /** Unix milliseconds. */
  now(): number;
  /** Unix microseconds, where milliseconds are too coarse. */
  micros(): number;
};

export const systemClock: Clock = { now: () => Date.now(), micros: systemMicros };
