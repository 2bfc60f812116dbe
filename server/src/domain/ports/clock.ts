/** The port to time: tests bring their own. */

export type Clock = {
  /** Unix milliseconds. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };
