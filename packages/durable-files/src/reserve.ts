/** Fills a reserve on the disk: a file that is removed when the disk is full, so that work can continue. */
import { randomFillSync } from 'node:crypto';

const chunkBytes = 1024 * 1024;

/** Random bytes, for file systems that compress. Each piece is to be written before the next one is asked for. */
export function* fillReserve(sizeBytes: number): Generator<Buffer> {
  const bytes = randomFillSync(Buffer.allocUnsafe(Math.min(chunkBytes, sizeBytes)));
  for (let written = 0; written < sizeBytes; written += bytes.length) {
    yield bytes.subarray(0, Math.min(bytes.length, sizeBytes - written));
  }
}
