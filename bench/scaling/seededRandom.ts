/** Random numbers from a seed: the same numbers in the same order each time. */

/** Returns numbers from 0 to below 1, by the generator "mulberry32". */
export function makeChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ninetyNinth = 2.326; // in standard deviations above the mean: one in a hundred is higher

/** Draws a time with the given median and 99th percentile: most are near the median, and a few are much longer. */
export function drawMs(chance: () => number, { median, p99 }: { median: number; p99: number }): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  return median * Math.exp((Math.log(p99 / median) / ninetyNinth) * normal);
}
