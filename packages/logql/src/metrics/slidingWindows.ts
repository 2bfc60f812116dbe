/**
 * Computes range aggregations for windows that overlap, in time that hardly grows with the length of a window: an hour at each second of another
 * one would read each sample 3,600 times.
 */
import type { RangeOperation } from '../language/tree.ts';
import { type Counter, interpolate, rateOfCounter, type Sample } from './rangeFunctions.ts';

/** The samples of a window, without `end`. Both places never decrease from one window to the next. */
export type Window = { readonly first: number; readonly end: number };

type Question = { operation: RangeOperation; parameter: number | null; rangeSeconds: number };

/** null for an empty window. */
export function slideWindows(
  { operation, parameter, rangeSeconds }: Question,
  samples: readonly Sample[],
  windows: readonly Window[],
): (number | null)[] {
  const sums: Joining<number> = { open: ({ value }) => value, join: (one, other) => one + other };
  switch (operation) {
    case 'count_over_time':
    case 'bytes_over_time':
    case 'sum_over_time':
      return slide(sums, samples, windows);
    case 'rate':
    case 'bytes_rate':
      return slide(sums, samples, windows).map(sum => (sum === null ? null : sum / rangeSeconds));
    case 'rate_counter':
      return slide(counters, samples, windows).map(
        counter => counter && rateOfCounter(counter, rangeSeconds),
      );
    case 'avg_over_time':
      return slide(spreads, samples, windows).map(spread => spread?.mean ?? null);
    case 'min_over_time':
      return slide({ ...sums, join: Math.min }, samples, windows);
    case 'max_over_time':
      return slide({ ...sums, join: Math.max }, samples, windows);
    case 'stdvar_over_time':
      return slide(spreads, samples, windows).map(spread => spread && spread.squares / spread.count);
    case 'stddev_over_time':
      return slide(spreads, samples, windows).map(
        spread => spread && Math.sqrt(spread.squares / spread.count),
      );
    case 'quantile_over_time':
      return slideQuantile(parameter ?? 0, samples, windows);
    case 'first_over_time':
      return windows.map(({ first, end }) => (first === end ? null : samples[first]!.value));
    case 'last_over_time':
      return windows.map(({ first, end }) => (first === end ? null : samples[end - 1]!.value));
    case 'absent_over_time':
      return windows.map(({ first, end }) => (first === end ? null : 1));
  }
}

/** What is known of a few samples, and of those of two neighbours together. */
type Joining<State> = { open(sample: Sample): State; join(one: State, other: State): State };

const counters: Joining<Counter> = {
  open: sample => ({ first: sample, last: sample, count: 1, lost: 0 }),
  join: (one, other) => ({
    first: one.first,
    last: other.last,
    count: one.count + other.count,
    lost: one.lost + other.lost + (other.first.value < one.last.value ? one.last.value : 0),
  }),
};

/** `squares`: the sum of the squared distances to the mean. */
type Spread = { count: number; mean: number; squares: number };

const spreads: Joining<Spread> = {
  open: ({ value }) => ({ count: 1, mean: value, squares: 0 }),
  join: (one, other) => {
    const count = one.count + other.count;
    const distance = other.mean - one.mean;
    return {
      count,
      mean: one.mean + (distance * other.count) / count,
      squares: one.squares + other.squares + (distance * distance * one.count * other.count) / count,
    };
  },
};

/**
 * Before `middle`, keeps the joined states from each sample up to the middle; joins later ones as they come. A window that passes the middle sets
 * a new one. So each sample is joined twice.
 */
function slide<State>(
  { open, join }: Joining<State>,
  samples: readonly Sample[],
  windows: readonly Window[],
): (State | null)[] {
  const joined: State[] = Array(samples.length);
  let [middle, added] = [0, 0];
  let behind: State | null = null;
  return windows.map(({ first, end }) => {
    if (first === end) return null;
    if (first >= middle) {
      for (let at = end - 1; at >= first; at--)
        joined[at] = at === end - 1 ? open(samples[at]!) : join(open(samples[at]!), joined[at + 1]!);
      [middle, added, behind] = [end, end, null];
    }
    for (; added < end; added++)
      behind = behind === null ? open(samples[added]!) : join(behind, open(samples[added]!));
    return behind === null ? joined[first]! : join(joined[first]!, behind);
  });
}

/** Keeps how many samples of the window have each value, in a tree by the order of the values. */
function slideQuantile(
  share: number,
  samples: readonly Sample[],
  windows: readonly Window[],
): (number | null)[] {
  const sorted = Float64Array.from(samples, ({ value }) => value).sort();
  const ranks = rank(samples, sorted);
  const counts = new RankCounts(samples.length);
  let [first, end] = [0, 0];
  return windows.map(window => {
    for (; end < window.end; end++) counts.add(ranks[end]!, 1);
    for (; first < window.first; first++) counts.add(ranks[first]!, -1);
    if (first === end) return null;
    return interpolate(share, end - first, place => sorted[counts.find(place)]!);
  });
}

/** Returns each sample's place in the order of the values. */
function rank(samples: readonly Sample[], sorted: Float64Array): Uint32Array {
  const places = Uint32Array.from(samples, (_, place) => place).sort((one, other) =>
    compareNumbers(samples[one]!.value, samples[other]!.value),
  );
  const ranks = new Uint32Array(sorted.length);
  for (const [place, sample] of places.entries()) ranks[sample] = place;
  return ranks;
}

/** As typed arrays order them: no number comes last. */
function compareNumbers(one: number, other: number): number {
  if (Number.isNaN(one) || Number.isNaN(other))
    return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return one === other ? 0 : one - other;
}

/** Counts by rank. Adding and finding take time that grows with the logarithm of the ranks. */
class RankCounts {
  /** A Fenwick tree: place n, from 1, sums the n & -n ranks that end below it. */
  readonly #tree: Int32Array;
  readonly #highest: number;

  constructor(ranks: number) {
    this.#tree = new Int32Array(ranks + 1);
    this.#highest = 2 ** Math.floor(Math.log2(Math.max(ranks, 1)));
  }

  add(rank: number, count: number): void {
    for (let at = rank + 1; at < this.#tree.length; at += at & -at) this.#tree[at]! += count;
  }

  /** Returns the rank of the sample at this place of the order, from zero. */
  find(place: number): number {
    let [at, left] = [0, place];
    for (let step = this.#highest; step >= 1; step /= 2) {
      const next = at + step;
      if (next >= this.#tree.length || this.#tree[next]! > left) continue;
      at = next;
      left -= this.#tree[next]!;
    }
    return at;
  }
}
