/** The database's time, as this machine reckons it: names of segments are given by it. */
export class DatabaseTime {
  readonly #readClock: () => Promise<number>;
  #aheadMs: number | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(readClock: () => Promise<number>) {
    this.#readClock = readClock;
  }

  /** Within some milliseconds, or seconds where this machine's clock was set just now. */
  async now(): Promise<number> {
    if (this.#aheadMs === null || performance.now() - this.#readAt > ageMsMax) {
      const sentAt = performance.now();
      const there = await this.#readClock();
      this.#readAt = performance.now();
      this.#aheadMs = there - (sentAt + this.#readAt) / 2;
    }
    return performance.now() + this.#aheadMs;
  }
}

const ageMsMax = 10_000; // clocks drift apart by less than a millisecond meanwhile
