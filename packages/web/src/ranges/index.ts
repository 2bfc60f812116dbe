/** Ranges of bytes and dates as HTTP writes them. */
export { parseHttpDate } from './httpDate.ts';
export { type ByteRange, describeRange, frameByteRanges, makeBoundary, parseRange } from './ranges.ts';
