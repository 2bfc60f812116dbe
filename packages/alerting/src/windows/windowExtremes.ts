/** Computes the highest and lowest counts of sliding windows in each interval of a long span. */

type Span = { startMs: number; intervalMs: number; windowMs: number };

export class WindowHeights {
  readonly highest: number[] = [];
  readonly lowest: number[] = [];
  readonly #span: Span;
  /** Counts in the current window. */
  readonly #held: (readonly [ms: number, count: number])[] = [];
  #first = 0;
  #count = 0;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Adds counts in time order. Earlier counts are treated as if they came at the start. */
  add(ms: number, count: number): void {
    const at = Math.max(ms, this.#span.startMs);
    this.#leaveBefore(at);
    this.#begin(at);
    this.#dropUntil(at);
    this.#held.push([at, count]);
    this.#count += count;
    this.#recordCount(at);
  }

  /** Ends the span just before this time. */
  end(ms: number): void {
    this.#leaveBefore(ms);
    this.#begin(ms);
  }

  #leaveBefore(ms: number): void {
    for (;;) {
      const next = this.#held[this.#first];
      if (next === undefined || next[0] + this.#span.windowMs >= ms) return;
      const leavesAt = next[0] + this.#span.windowMs;
      this.#begin(leavesAt);
      this.#dropUntil(leavesAt);
      this.#recordCount(leavesAt);
    }
  }

  #dropUntil(ms: number): void {
    for (; this.#first < this.#held.length; this.#first++) {
      const [at, count] = this.#held[this.#first]!;
      if (at + this.#span.windowMs > ms) break;
      this.#count -= count;
    }
  }

  /** Intervals that began earlier start with the current contents of the window. */
  #begin(ms: number): void {
    const { startMs, intervalMs } = this.#span;
    while (startMs + this.highest.length * intervalMs < ms) this.#open();
  }

  #open(): void {
    this.highest.push(this.#count);
    this.lowest.push(this.#count);
  }

  #recordCount(ms: number): void {
    const index = Math.floor((ms - this.#span.startMs) / this.#span.intervalMs);
    if (index >= this.highest.length) this.#open();
    this.highest[index] = Math.max(this.highest[index] ?? 0, this.#count);
    this.lowest[index] = Math.min(this.lowest[index] ?? 0, this.#count);
  }
}
