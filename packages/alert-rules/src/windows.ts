/** Windows as runs of buckets, and whether a window fulfils a condition. */

export type WindowCondition =
  /** So many entries in a window, or fewer. */
  | { kind: 'count'; op: '>=' | '<'; value: number }
  /** So many, and so many times as many as in the window before. Where that was empty, the number suffices. */
  | { kind: 'change'; value: number; factor: number };

/** By their beginnings, in milliseconds, ascending. */
export type Buckets = readonly Bucket[];
export type Bucket = readonly [ms: number, count: number];

const bucketsMax = 600; // of a window, which slides by this part of its length
const bucketMsMin = 100; // what arrives together is told together

/** How long a bucket is in which entries are counted. */
export function findBucketMs(windowMs: number): number {
  return Math.max(bucketMsMin, Math.ceil(windowMs / bucketsMax));
}

/** For how long a bucket has a say in what is judged. */
export function findMemoryMs(condition: WindowCondition, windowMs: number): number {
  return condition.kind === 'change' ? 2 * windowMs : windowMs;
}

/** A window that ends at `end`, which is no part of it. */
type Window = { ms: number; end: number };

export function countWindow(buckets: Buckets, window: Window): number {
  let count = 0;
  for (let index = buckets.length - 1; index >= 0; index--) {
    const [ms, found] = buckets[index]!;
    if (ms < window.end - window.ms) break;
    if (ms < window.end) count += found;
  }
  return count;
}

/** Whether the window is one to tell of. */
export function fulfils(condition: WindowCondition, buckets: Buckets, window: Window): boolean {
  const count = countWindow(buckets, window);
  if (condition.kind === 'count')
    return condition.op === '<' ? count < condition.value : count >= condition.value;
  const before = countWindow(buckets, { ms: window.ms, end: window.end - window.ms });
  return count >= condition.value && count >= condition.factor * before;
}
