/** Random access to the bytes of one file within a budget. Past the budget the file seems to end: no check can run away. */

/** The source of the bytes: a staging file, a buffer, a blob. */
export type ByteSource = {
  readonly sizeBytes: number;
  /** The `length` bytes from `offset` on, fewer only where the file ends, in memory that is not written to again. */
  read(offset: number, length: number): Promise<Uint8Array>;
};

export type ByteReader = {
  readonly sizeBytes: number;
  /** Exactly these bytes, or nothing where the file or the budget ends before the last of them. */
  readBytes(offset: number, length: number): Promise<Buffer | undefined>;
  /** Reads as many of these bytes as there are, possibly none. */
  readBytesUpTo(offset: number, length: number): Promise<Buffer>;
  /** Whether the budget is used up, so that what seems to be the end need not be one. */
  isExhausted(): boolean;
};

export const readLimits = {
  requestsMax: 20_000, // pieces a check may ask for, at some 5 µs each: 0.1 s in all
  readsMax: 2048, // a file read costs some 50 µs in Node: 0.1 s in all, a tenth of what a check may take
  bytesMax: 8 * 1024 * 1024, // covers tags and cover art of several megabytes before the first frame
  windowBytesMin: 4 * 1024, // one page: enough for most headers
  windowBytesMax: 64 * 1024, // scanning on: a 32 MiB file is 512 of these
  requestBytesMax: 256 * 1024, // the largest piece any check holds, a tail in search of the last timestamp
} as const;

const nothing: Buffer = Buffer.alloc(0);

export function openByteReader(source: ByteSource): ByteReader {
  let window: Buffer = nothing;
  let windowOffset = 0;
  let windowBytes: number = readLimits.windowBytesMin;
  let requestsLeft: number = readLimits.requestsMax;
  let readsLeft: number = readLimits.readsMax;
  let bytesLeft: number = readLimits.bytesMax;

  async function moveWindow(offset: number, length: number): Promise<void> {
    const windowEnd = windowOffset + window.length;
    // Short hops, as from frame to frame, read on too.
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
    // Sizes of 64 bits are summed as doubles: what lies past the file may be inexact and is never read.
    if (!(offset >= 0 && offset < source.sizeBytes) || requestsLeft === 0) return nothing;
    requestsLeft -= 1;
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

/** Four letters as containers write them, one byte each. */
export function readFourLetters(bytes: Buffer, offset: number): string {
  return bytes.toString('latin1', offset, offset + 4);
}
