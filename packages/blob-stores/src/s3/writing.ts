/** Remembers whether the bucket takes writes. A small one is tried only at first and after a failure, because stores charge for writes. */
type FailedWrite = { error: unknown; sizeBytes: number; at: number };

export const trialBytesMax = 256 * 1024; // tells a full bucket from one that only lacks room for large files
export const trialIntervalMs = 2_000;

export class WriteMemory {
  /** null: writing works, as far as is known. */
  failed: FailedWrite | null = null;
  isUntried = true;

  /** A small write may still find room after a larger one was refused. */
  noteSuccess(sizeBytes: number): void {
    this.isUntried = false;
    if (this.failed !== null && sizeBytes >= Math.min(this.failed.sizeBytes, trialBytesMax))
      this.failed = null;
  }

  noteFailure(error: unknown, sizeBytes: number): void {
    this.isUntried = false;
    this.failed = { error, sizeBytes, at: performance.now() };
  }
}
