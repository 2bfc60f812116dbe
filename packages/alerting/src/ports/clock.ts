/** Port to time, so that tests can set the clock. */

export type Clock = {
  /** Unix milliseconds. */
  now(): number;
};
