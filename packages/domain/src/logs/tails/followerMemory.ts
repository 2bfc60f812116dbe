/**
 * The memory that all followers share for what they hold until their clients read it. A client that reads nothing is soon ended if memory is
 * short; one that reads is not.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Gate } from '@tapedeck/concurrency/gate';

type FollowerHolding = {
  /** What waits for its evaluation. A character counts as a byte. */
  countWaiting(): number;
  /** What waits for the client. */
  countUnsent(): number;
  /** Since when the client has read nothing, by `performance.now()`. null: it is not the client that the follower waits for. */
  stalledSince(): number | null;
  /** Ends the follower at once. Its client may follow again. */
  end(): void;
};

const megabyte = 1024 ** 2;
const heldShare = 1 / 16; // a follower needs a multiple of it while it evaluates and writes, and other requests need the rest
const heldBytesMax = 128 * megabyte;
const goalShare = 3 / 4; // makes room for a while
const emergencyShare = 4; // ends followers regardless of their project
const stalledMsMin = 1_000;
const readingShare = 1 / 4; // what they read is counted once they have it
const readingMax = 6;
const readBytes = 16 * megabyte; // a hundred long lines, as the engine's answer and as entries
const countIntervalMs = 20; // a count visits up to two thousand followers
const roomPauseMs = 50;

/** Returns a share of the memory that JavaScript may take, in bytes. */
export function takeHeapShare(share: number, bytesMax: number): number {
  return Math.min(getHeapStatistics().heap_size_limit * share, bytesMax);
}

/** Counts the followers that may read at once. */
const countReading = () =>
  Math.max(1, Math.floor(takeHeapShare(readingShare, readingMax * readBytes) / readBytes));

export class FollowerMemory {
  readonly #bytesMax: number;
  readonly #reading = new Gate(countReading(), { leavesRoom: true });
  readonly #holdings = new Set<FollowerHolding>();
  /** The last count, and what was taken since. */
  #bytes = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(bytesMax = takeHeapShare(heldShare, heldBytesMax)) {
    this.#bytesMax = bytesMax;
  }

  add(holding: FollowerHolding): Disposable {
    this.#holdings.add(holding);
    return { [Symbol.dispose]: () => this.#holdings.delete(holding) };
  }

  /** Call this after a follower has taken something. */
  recordTaken(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) this.#makeRoom();
  }

  /** Whether followers may take more than they need to go on. */
  get hasRoom(): boolean {
    if (this.#bytes > this.#bytesMax) this.#makeRoom();
    return this.#bytes <= this.#bytesMax;
  }

  /**
   * Call this before a follower reads much at once. Resolves when it is its turn and others have sent most of what they read; rejects if the
   * signal aborts. What waits for its evaluation does not count here, because its follower may itself wait for this.
   */
  async enter(project: string, signal: AbortSignal): Promise<Disposable> {
    const pass = await this.#reading.enter(project, signal);
    try {
      while (this.#endStalled(holding => holding.countUnsent()) > this.#bytesMax)
        await wait(roomPauseMs, undefined, { signal });
      return pass;
    } catch (error) {
      pass[Symbol.dispose]();
      throw error;
    }
  }

  #makeRoom(): void {
    const now = performance.now();
    if (now - this.#countedAt < countIntervalMs) return;
    this.#countedAt = now;
    this.#bytes = this.#endStalled(holding => holding.countWaiting() + holding.countUnsent());
  }

  /** Ends those first that have held the most for the longest, if all hold too much. Returns what the others hold. */
  #endStalled(countBytes: (holding: FollowerHolding) => number): number {
    const now = performance.now();
    const counted = [...this.#holdings].map(holding => {
      const bytes = countBytes(holding);
      const stalledMs = now - (holding.stalledSince() ?? now);
      return { holding, bytes, stalledMs, weight: bytes * (stalledMs + 1) };
    });
    let left = counted.reduce((sum, { bytes }) => sum + bytes, 0);
    if (left <= this.#bytesMax) return left;
    for (const { holding, bytes, stalledMs } of counted.sort((one, other) => other.weight - one.weight)) {
      if (bytes === 0 || left <= this.#bytesMax * goalShare) break;
      if (stalledMs < stalledMsMin && left <= this.#bytesMax * emergencyShare) continue;
      this.#holdings.delete(holding);
      left -= bytes;
      holding.end();
    }
    return left;
  }
}
