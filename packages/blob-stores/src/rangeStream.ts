/** Streams part of a file with at most one buffer, large for fast readers and small for slow ones. */
import { Readable } from 'node:stream';
import { closeFile, readAt } from './fileCalls.ts';

export const blobStreamBytes = 256 * 1024; // as fast as nginx reads
const blobSlowStreamBytes = 64 * 1024; // for readers slower than the disk: 64 MiB for a thousand of them

/** `end` may be infinite, which means the end of the file. */
type OpenRange = { descriptor: number; start: number; end: number };

/** A reader that takes longer than this to ask again is waiting for its network, not for this disk. */
const slowAfterMs = 50;

const heldBytesMax = 32 * 1024 * 1024; // with more, every reader counts as slow: some may never ask again
/** In the buffers of all streams that their readers have not yet sent. */
let heldBytes = 0;

/** The stream owns the descriptor and always closes it. */
export function openRangeStream(range: OpenRange): Readable {
  let position = range.start;
  let handedOverAt = 0;
  let bufferBytes: number = blobStreamBytes;
  let reading: Promise<unknown> = Promise.resolve();
  let ownBytes = 0;
  const hold = (bytes: number) => {
    heldBytes += bytes - ownBytes;
    ownBytes = bytes;
  };

  const readNext = async (): Promise<Buffer | null> => {
    const lengthBytes = Math.min(bufferBytes, range.end - position);
    if (lengthBytes <= 0) return null;
    const bytes = await readAt(range.descriptor, position, lengthBytes);
    if (bytes.length === 0 && Number.isFinite(range.end))
      throw new Error('The file is shorter than the range.');
    position += bytes.length;
    return bytes.length === 0 ? null : bytes;
  };

  return new Readable({
    highWaterMark: 0, // never reads ahead of the reader
    read() {
      const isSlow = handedOverAt !== 0 && performance.now() - handedOverAt > slowAfterMs;
      hold(0);
      bufferBytes = isSlow || heldBytes > heldBytesMax ? blobSlowStreamBytes : blobStreamBytes;
      reading = readNext().then(
        bytes => {
          handedOverAt = performance.now();
          if (!this.destroyed) hold(bytes?.length ?? 0);
          this.push(bytes);
        },
        error => void this.destroy(error),
      );
    },
    destroy(error, done) {
      hold(0);
      // A descriptor must not be closed during a read.
      reading.then(() => closeFile(range.descriptor)).then(() => done(error), done);
    },
  });
}
