/** Flags are 0 or 1, instants Unix milliseconds, JSON text: the same in both dialects, so rows travel unchanged. */
export type Flag = 0 | 1;
