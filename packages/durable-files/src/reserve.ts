/** Fills a reserve file, which the service removes when the disk is full, so that work can continue. */
import { randomFillSync } from 'node:crypto';

const chunkBytes = 1024 * 1024;

/** A disk with this much free space does not fill up between two looks, so nothing is reserved on it yet. */
export const ampleFreeBytes = 32 * 1024 ** 3;
export const spaceLookMs = 10_000;

/** Yields random bytes, because some file systems compress. Write each piece before asking for the next. */
export function* fillReserve(sizeBytes: number): Generator<Buffer> {
  const bytes = randomFillSync(Buffer.allocUnsafe(Math.min(chunkBytes, sizeBytes)));
  for (let written = 0; written < sizeBytes; written += bytes.length) {
    yield bytes.subarray(0, Math.min(bytes.length, sizeBytes - written));
  }
}
