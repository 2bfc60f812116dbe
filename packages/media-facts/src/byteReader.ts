/**
 * Random access to a file's bytes within a budget. Past the budget the file seems to end, so no check can run away. Thousands of pieces may come from
 * memory one after the other, so other work gets the event loop in between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A source of bytes: a staging file, a buffer or a blob. */
export type ByteSource = {
  readonly sizeBytes: number;
  /** Reads `length` bytes from `offset`, fewer only at the end of the file. Nothing overwrites the returned memory. */
  read(offset: number, length: number): Promise<Uint8Array>;
};

export type ByteReader = {
  readonly sizeBytes: number;
  /** Reads exactly these bytes. Returns undefined if the file or the budget ends before the last one. */
  readBytes(offset: number, length: number): Promise<Buffer | undefined>;
  /** Reads as many of these bytes as exist, possibly none. */
  readBytesUpTo(offset: number, length: number): Promise<Buffer>;
  /** True if the budget is used up, so the file may not really end here. */
  isExhausted(): boolean;
};

export const readLimits = {
  requestsMax: 20_000, // pieces that a check may read, some 5 µs each: 0.1 s in total
  readsMax: 2048, // reads from the file, some 50 µs each in Node: 0.1 s in total, a tenth of a check's time limit
  bytesMax: 8 * 1024 * 1024, // enough for several megabytes of tags and cover art before the first frame
  windowBytesMin: 4 * 1024, // one page: enough for most headers
  windowBytesMax: 64 * 1024, // for scans: a 32 MiB file has 512 of these
  requestBytesMax: 256 * 1024, // the largest piece that a check holds, a tail searched for the last timestamp
} as const;

const piecesPerLook = 64; // less than a millisecond
const turnMsMax = 8;

const nothing: Buffer = Buffer.alloc(0);

export function openByteReader(source: ByteSource): ByteReader {
  let window: Buffer = nothing;
  let windowOffset = 0;
  let windowBytes: number = readLimits.windowBytesMin;
  let requestsLeft: number = readLimits.requestsMax;
  let readsLeft: number = readLimits.readsMax;
  let bytesLeft: number = readLimits.bytesMax;
  let turnBegunAt = performance.now();

  async function moveWindow(offset: number, length: number): Promise<void> {
    const windowEnd = windowOffset + window.length;
    // Short hops, as from frame to frame, also count as reading on.
    const readsOn = offset > windowOffset && offset <= windowEnd + windowBytes / 2;
    windowBytes = readsOn ? Math.min(windowBytes * 4, readLimits.windowBytesMax) : readLimits.windowBytesMin;
    const wanted = Math.min(Math.max(length, windowBytes), source.sizeBytes - offset);
    windowOffset = offset;
    window = nothing;
    if (readsLeft === 0 || wanted > bytesLeft) {
      requestsLeft = 0;
      return;
    }
    readsLeft -= 1;
    bytesLeft -= wanted;
    const bytes = await source.read(offset, wanted);
    window = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, wanted));
  }

  async function readBytesUpTo(offset: number, length: number): Promise<Buffer> {
    // 64-bit sizes are summed as doubles. Offsets past the file may be inexact, but are never read.
    if (!(offset >= 0 && offset < source.sizeBytes) || requestsLeft === 0) return nothing;
    requestsLeft -= 1;
    if (requestsLeft % piecesPerLook === 0 && performance.now() - turnBegunAt > turnMsMax) {
      await nextTurn();
      turnBegunAt = performance.now();
    }
    const bounded = Math.min(length, readLimits.requestBytesMax, source.sizeBytes - offset);
    if (offset < windowOffset || offset + bounded > windowOffset + window.length) {
      await moveWindow(offset, bounded);
    }
    return window.subarray(offset - windowOffset, offset - windowOffset + bounded);
  }

  async function readBytes(offset: number, length: number): Promise<Buffer | undefined> {
    const bytes = await readBytesUpTo(offset, length);
    return bytes.length === length ? bytes : undefined;
  }

  const isExhausted = () => requestsLeft === 0;
  return { sizeBytes: source.sizeBytes, readBytes, readBytesUpTo, isExhausted };
}

/** Reads four letters as containers write them, one byte each. */
export function readFourLetters(bytes: Buffer, offset: number): string {
  return bytes.toString('latin1', offset, offset + 4);
}
