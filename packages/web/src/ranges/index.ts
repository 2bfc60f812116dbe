/** Reads ranges of bytes and dates in HTTP's format. */
export { parseHttpDate } from './httpDate.ts';
export { describeRange, frameByteRanges, makeBoundary, parseRange } from './ranges.ts';
