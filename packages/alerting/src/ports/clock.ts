/** Port to time, so that tests bring their own clock. */

export type Clock = {
  /** Unix milliseconds. */
  now(): number;
};
