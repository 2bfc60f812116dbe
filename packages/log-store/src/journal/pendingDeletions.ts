/**
 * Finds the entries of a segment that were deleted while they waited in the journal. Deletions by other nodes are recorded in the database
 * by its clock; this file converts them to this machine's clock.
 */

import type { Segment } from './journal.ts';
import type { LogDeletion, LogDeletions } from './logDeletions.ts';

/** Covers the segment's blocks written up to `writtenUntil` (Unix milliseconds by this machine's clock). */
export type PendingDeletion = LogDeletion & { writtenUntil: number };

/**
 * How long a recorded deletion waits before it removes stored entries. By then it sees the inserts that began before their
 * node could know of it. The wait is several times what passes between a node's look at deletions and the start of its
 * insert.
 */
export const deletionFenceMs = 500;

/** Clocks are compared to within a few milliseconds. Entries sent after the answer are written later than the whole fence. */
const toleranceMs = deletionFenceMs / 2;

const clockAgeMsMax = 10_000; // clocks drift apart by less than a millisecond meanwhile

type ClockReading = { aheadMs: number; readAt: number };

export class JournalDeletions {
  readonly #recorded: LogDeletions;
  #clock: ClockReading | null = null;

  constructor(recorded: LogDeletions) {
    this.#recorded = recorded;
  }

  /** Rejects when the database does not answer, because then the deletions are unknown. */
  async find({ extents: { writtenAts } }: Segment): Promise<PendingDeletion[]> {
    const first = writtenAts.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    if (first === Number.POSITIVE_INFINITY) return [];
    const aheadMs = await this.#compareClocks();
    const deletions = await this.#recorded.listSince(Math.floor(first + aheadMs - toleranceMs));
    return deletions.map(deletion => ({
      ...deletion,
      writtenUntil: deletion.deletedAt - aheadMs + toleranceMs,
    }));
  }

  /** Returns by how much the database's clock is ahead of this machine's. */
  async #compareClocks(): Promise<number> {
    const known = this.#clock;
    if (known !== null && performance.now() - known.readAt < clockAgeMsMax) return known.aheadMs;
    const sentAt = Date.now();
    const there = await this.#recorded.readClock();
    const here = (sentAt + Date.now()) / 2;
    this.#clock = { aheadMs: there - here, readAt: performance.now() };
    return this.#clock.aheadMs;
  }
}

export function appliesTo({ writtenUntil }: PendingDeletion, writtenAt: number): boolean {
  return writtenAt <= writtenUntil;
}
