/** Ranges of bytes and dates as HTTP writes them. */
export { parseHttpDate } from './httpDate.ts';
export { describeRange, frameByteRanges, makeBoundary, parseRange } from './ranges.ts';
