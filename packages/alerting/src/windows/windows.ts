/** Defines windows as runs of buckets, and checks whether a window fulfils a condition. */

export type WindowCondition =
  /** At least, or fewer than, a number in a window. */
  | { kind: 'count'; op: '>=' | '<'; value: number }
  /** At least a number, and a multiple of the window before. If that was empty, the number is enough. */
  | { kind: 'change'; value: number; factor: number };

/** Buckets sorted by their start in milliseconds. */
export type Buckets = readonly Bucket[];
export type Bucket = readonly [ms: number, count: number];

const bucketsMax = 500; // per window, which slides by one bucket; buckets are whole milliseconds
const bucketsOfValueMax = 50; // for split rules, because a hundred values may have windows
const bucketMsMin = 100; // entries that arrive together are reported together

/** Returns the length of a bucket for counting entries. */
export function findBucketMs(windowMs: number, isSplit: boolean): number {
  return Math.max(bucketMsMin, Math.ceil(windowMs / (isSplit ? bucketsOfValueMax : bucketsMax)));
}

/** How long a bucket can still affect a rule. */
export function findMemoryMs(condition: WindowCondition, windowMs: number): number {
  return condition.kind === 'change' ? 2 * windowMs : windowMs;
}

/** Counts windows with ever later ends, adding each bucket once. */
export class WindowCounts {
  readonly #buckets: Buckets;
  readonly #windowMs: number;
  /** The first bucket in the window, and the first after it. */
  #first = 0;
  #next = 0;
  #count = 0;

  constructor(buckets: Buckets, windowMs: number) {
    this.#buckets = buckets;
    this.#windowMs = windowMs;
  }

  /** Counts the window that ends before `end`. */
  countUntil(end: number): number {
    for (; this.#next < this.#buckets.length; this.#next++) {
      const [ms, count] = this.#buckets[this.#next]!;
      if (ms >= end) break;
      this.#count += count;
    }
    for (; this.#first < this.#next; this.#first++) {
      const [ms, count] = this.#buckets[this.#first]!;
      if (ms >= end - this.#windowMs) break;
      this.#count -= count;
    }
    return this.#count;
  }
}

/** Returns whether a window fulfils the condition. `before` is the count of the previous window. */
export function fulfils(
  condition: WindowCondition,
  { count, before }: { count: number; before: number },
): boolean {
  if (condition.kind === 'change') return count >= condition.value && count >= condition.factor * before;
  return condition.op === '<' ? count < condition.value : count >= condition.value;
}
