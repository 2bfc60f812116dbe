/** Remembers whether the bucket accepts writes. Tries a small one only at the start and after a failure, because providers charge for writes. */
import { BlobStoreFailure } from '../failures.ts';
import { findCause, S3Refusal } from './refusal.ts';

type FailedWrite = { error: unknown; sizeBytes: number; at: number };

export const trialBytesMax = 256 * 1024; // tells a full bucket from one that only lacks room for large files
export const trialIntervalMs = 2_000;

export class WriteMemory {
  /** null: writing works, as far as is known. */
  failed: FailedWrite | null = null;
  isUntried = true;

  /** A small write may still find room after a larger one was refused. */
  recordSuccess(sizeBytes: number): void {
    this.isUntried = false;
    if (this.failed !== null && sizeBytes >= Math.min(this.failed.sizeBytes, trialBytesMax))
      this.failed = null;
  }

  recordFailure(error: unknown, sizeBytes: number): void {
    if (!concernsOthers(error)) return;
    this.isUntried = false;
    this.failed = { error, sizeBytes, at: performance.now() };
  }
}

/** Statuses below 500 that are about the bucket or the key, and not about one object. */
const generalStatuses = [401, 403, 408, 425, 429];

/** Whether other writes would probably fail, too. Some failures concern one object, such as a part of an upload that was cancelled meanwhile. */
function concernsOthers(error: unknown): boolean {
  if (!(error instanceof BlobStoreFailure)) return false; // the bytes to send could not be read
  const cause = findCause(error);
  if (error.code === 'disk_full' || !(cause instanceof S3Refusal)) return true;
  return cause.status >= 500 || generalStatuses.includes(cause.status);
}
