/** Tests windows that overlap so much that they are not read one by one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseLogql, type RangeAggregation, RangeCollection, type Steps } from '@tapedeck/logql';

const limits = { seriesMax: 1, samplesMax: 1_000_000, pointsMax: 100_000 };
const micros = 1_000_000;
const steps = { firstMicros: 7_000 * micros, stepMicros: micros, count: 3_600 };

function parseRange(text: string): RangeAggregation {
  const query = parseLogql(text);
  assert.ok(query.kind === 'range');
  return query;
}

function collect(range: RangeAggregation, values: readonly number[], spanSeconds: number): RangeCollection {
  const collection = new RangeCollection(range, limits);
  for (const [index, value] of values.entries()) {
    // Two samples in each moment, and gaps longer than a window.
    const second = Math.floor(index / 2) * ((2 * spanSeconds) / values.length);
    if (second % 5_000 > 4_400) continue;
    collection.add([], { micros: Math.round(second * micros), value });
  }
  return collection;
}

const compute = (collection: RangeCollection, asked: Steps) =>
  collection.compute(asked)[0]?.points ?? Array<null>(asked.count).fill(null);

// A counter that resets, and numbers of different sizes.
const counting = Array.from({ length: 30_000 }, (_, index) => (index * 7) % 1_009);
const spread = counting.map((value, index) => (index % 11 === 0 ? -value : value * 1.37) * 10 ** (index % 4));
const strange = counting.map(
  (value, index) => [Number.NaN, Number.POSITIVE_INFINITY, 0, -0][index % 97] ?? value,
);

const unwrapped = '{a="b"} | unwrap n [10m]';
const rows: readonly [query: string, values: readonly number[]][] = [
  ...['sum', 'avg', 'min', 'max', 'stddev', 'stdvar', 'first', 'last'].map(
    name => [`${name}_over_time(${unwrapped})`, spread] as [string, number[]],
  ),
  ...[0, 0.25, 0.5, 0.99, 1, 2].map(
    share => [`quantile_over_time(${share}, ${unwrapped})`, spread] as [string, number[]],
  ),
  ...['min_over_time(', 'max_over_time(', 'last_over_time(', 'quantile_over_time(0.9,'].map(
    call => [`${call}${unwrapped})`, strange] as [string, number[]],
  ),
  [`rate_counter(${unwrapped})`, counting],
  [`rate(${unwrapped})`, counting],
  ['count_over_time({a="b"} [10m])', counting.map(() => 1)],
  ['bytes_rate({a="b"} [10m])', counting],
  ['absent_over_time({a="b"} [10m])', counting.map(() => 1)],
];

describe('windows that overlap have the values that each has alone:', () => {
  for (const [text, values] of rows)
    test(text, () => {
      const range = parseRange(text);
      const collection = collect(range, values, 10_600);
      const points = compute(collection, steps);
      for (let step = 0; step < steps.count; step += 149) {
        const firstMicros = steps.firstMicros + step * steps.stepMicros;
        const [alone = null] = compute(collection, { ...steps, firstMicros, count: 1 });
        requireClose(points[step] ?? null, alone, `step ${step}`);
      }
    });
});

const relativeMax = 1e-9; // sums are added up in another order

function requireClose(found: number | null, expected: number | null, place: string): void {
  if (expected === null || found === null || !Number.isFinite(expected)) assert.equal(found, expected, place);
  else
    assert.ok(
      Math.abs(found - expected) <= relativeMax * Math.max(Math.abs(expected), 1),
      `${place}: ${found}, ${expected}`,
    );
}

const cpuMsMax = 3_000; // about three hundred; one by one it took twenty seconds and more

describe('an hour at each second takes little time:', () => {
  for (const operation of ['avg_over_time(', 'stddev_over_time(', 'quantile_over_time(0.99, '])
    test(operation, () => {
      const values = Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 100_003);
      const collection = collect(parseRange(`${operation}{a="b"} | unwrap n [1h])`), values, 10_600);
      const before = process.threadCpuUsage();
      assert.ok(compute(collection, steps).every(point => point !== null));
      const { user, system } = process.threadCpuUsage(before);
      assert.ok((user + system) / 1_000 < cpuMsMax, `took ${(user + system) / 1_000} ms`);
    });
});
