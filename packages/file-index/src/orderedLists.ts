/** Skips the first items of many ordered lists without merging them. Otherwise, deep pages would skip a million files one by one. */

/** A list that is sorted by the comparison. */
export type Ordered<Item> = { readonly count: number; at(index: number): Item };

type Compare<Item> = (one: Item, other: Item) => number;
type Range = { low: number; high: number };

const mergedMax = 2048; // the rest is skipped one by one, in a millisecond or two
const samples = 31; // each round leaves about a tenth
const roundsMax = 40; // beyond this, merging is slow but correct

/**
 * Finds where to continue in each list, so that every item before those places precedes every item after them. `remaining` items remain to be
 * skipped by merging.
 */
export function skipOrdered<Item>(
  lists: readonly Ordered<Item>[],
  offset: number,
  compare: Compare<Item>,
): { starts: number[]; remaining: number } {
  const ranges = lists.map(({ count }) => ({ low: 0, high: count }));
  if (offset >= countAll(ranges)) return { starts: ranges.map(({ high }) => high), remaining: 0 };
  let remaining = offset;
  for (let round = 0; round < roundsMax && remaining > mergedMax; round++) {
    const pivot = choosePivot(lists, ranges, { share: remaining / countAll(ranges), round, compare });
    if (pivot === null) break;
    const cuts = ranges.map((range, index) => {
      const list = lists[index];
      return list === undefined ? range.low : countWhile(list, range, item => compare(item, pivot) < 0);
    });
    const before = cuts.reduce((sum, cut, index) => sum + cut - (ranges[index]?.low ?? 0), 0);
    const isPassed = before <= remaining;
    if (isPassed) remaining -= before;
    for (const [index, range] of ranges.entries()) range[isPassed ? 'low' : 'high'] = cuts[index] ?? 0;
  }
  return { starts: ranges.map(({ low }) => low), remaining };
}

function countAll(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { low, high }) => sum + high - low, 0);
}

/** Picks the item at the given share of evenly spread samples. Each round takes other samples. */
function choosePivot<Item>(
  lists: readonly Ordered<Item>[],
  ranges: readonly Range[],
  { share, round, compare }: { share: number; round: number; compare: Compare<Item> },
): Item | null {
  const step = countAll(ranges) / samples;
  if (step < 1) return null;
  const found: Item[] = [];
  let next = (step * ((round * 0.618 + 0.5) % 1)) | 0;
  let passed = 0;
  for (const [index, { low, high }] of ranges.entries()) {
    const list = lists[index];
    for (; list !== undefined && next < passed + high - low; next += step)
      found.push(list.at(low + Math.floor(next - passed)));
    passed += high - low;
  }
  found.sort(compare);
  return found[Math.min(Math.floor(share * found.length), found.length - 1)] ?? null;
}

/** Returns the first index of the range where `holds` is false. */
export function countWhile<Item>(
  list: Ordered<Item>,
  { low, high }: Range,
  holds: (item: Item) => boolean,
): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(list.at(middle))) from = middle + 1;
    else to = middle;
  }
  return from;
}
