/** Cases for tests: counts of values within a time are exact to the microsecond, in small parts and in large ones. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LogFilter } from '@tapedeck/log-entries';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';

const secondMicros = 1_000_000;
const signal = new AbortController().signal;
const resources = 3;

/** Each set is in a separate month, and so in a separate part. Parts of 500,000 entries or more are counted separately. */
const sets = [
  { dataset: 'small', entries: 300, startMicros: Date.UTC(2026, 2, 1) * 1000 },
  { dataset: 'large', entries: 500_000, startMicros: Date.UTC(2026, 4, 1) * 1000 },
];
type Entries = (typeof sets)[number];

let store: TestStore;
let queries: LogQueries;

before(async () => {
  store = await startTestStore();
  for (const { dataset, entries, startMicros } of sets) {
    await runOnShards(
      store,
      `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource)
       SELECT 'one', '${dataset}', fromUnixTimestamp64Micro(${startMicros} + number * ${secondMicros} + ${secondMicros / 2}, 'UTC'),
         number, 'info', toString(number % ${resources}) FROM numbers(${entries}) SETTINGS max_insert_threads = 1`,
    );
    await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  }
  queries = openQueries(store, store.shards);
});
after(() => store[Symbol.asyncDispose]());

type Times = Pick<LogFilter, 'fromMicros' | 'toMicros'>;

/** Each time comes with the numbers of the first and last entry within it. */
const rows: [string, (set: Entries) => Times & { first: number; last: number }][] = [
  ['all of them', set => ({ fromMicros: null, toMicros: null, first: 0, last: set.entries - 1 })],
  [
    'exactly from the first to the last',
    set => ({
      fromMicros: timeOf(set, 0),
      toMicros: timeOf(set, set.entries - 1),
      first: 0,
      last: set.entries - 1,
    }),
  ],
  [
    'all but the first, by a microsecond',
    set => ({ fromMicros: timeOf(set, 0) + 1, toMicros: null, first: 1, last: set.entries - 1 }),
  ],
  [
    'all but the last, by a microsecond',
    set => ({
      fromMicros: null,
      toMicros: timeOf(set, set.entries - 1) - 1,
      first: 0,
      last: set.entries - 2,
    }),
  ],
  [
    'some in the middle',
    set => ({ fromMicros: timeOf(set, 100), toMicros: timeOf(set, 199), first: 100, last: 199 }),
  ],
  [
    'far more time than the entries cover',
    set => ({ fromMicros: 0, toMicros: timeOf(set, 10 * set.entries), first: 0, last: set.entries - 1 }),
  ],
];
for (const set of sets) {
  for (const [name, choose] of rows) {
    test(`counts values of a ${set.dataset} part: ${name}`, async () => {
      const { first, last, ...times } = choose(set);
      const filter = { ...matchAll({ project: 'one', datasets: [set.dataset] }), ...times };
      const counted = await queries.countValues(
        filter,
        { field: { kind: 'resource' }, prefix: '', limit: 50 },
        signal,
      );
      const found = Object.fromEntries(counted.map(({ value, count }) => [value, count]));
      assert.deepEqual(found, countResources(first, last));
    });
  }
}

function timeOf({ startMicros }: Entries, number: number): number {
  return startMicros + number * secondMicros + secondMicros / 2;
}

/** Counts all entries once per shard, because every shard holds all of them. */
function countResources(first: number, last: number): Record<string, number> {
  const upTo = (number: number, resource: number) => Math.floor((number - resource) / resources) + 1;
  const counts = Array.from({ length: resources }, (_, resource) => {
    const entries = upTo(last, resource) - upTo(first - 1, resource);
    return [String(resource), entries * store.shards.length];
  });
  return Object.fromEntries(counts);
}
