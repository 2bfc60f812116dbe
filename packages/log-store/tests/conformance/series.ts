/**
 * Cases for tests: random queries for series, answered by the log store and by going through all entries one by one.
 * LOG_QUESTIONS sets how many, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  compileFilter,
  type LogEntry,
  type LogField,
  type LogFilter,
  type LogMeasure,
  type LogSeries,
  type LogSeriesQuestion,
  logStatistics,
  type MatchableArrival,
} from '@tapedeck/log-entries';
import { everything } from '@tapedeck/log-query-language';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { compareBytes, isNumber, makeMatchable, readValue } from '../countingByHand.ts';
import { insertRandomBatches } from '../randomBatches.ts';
import { makeCondition, makeParameters } from '../randomConditions.ts';
import { createRandom, makeScope, pick, type Random, type WholeEntry } from '../randomEntries.ts';

const questions = Number(process.env.LOG_QUESTIONS ?? 60);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;
const dayMicros = 86_400_000_000;
const manyMicros = Date.UTC(2026, 4, 1) * 1000;

/** Some parse as numbers, and some nearly do. */
const numerals = [
  '0', '-0', '7', '12', '12', '-3', '0.1', '0.2', '1e2', '1E+2', '-2.5e-3', '123456789.125', '9007199254740993', '4.9e-324',
  '007', '1.', '.5', '+1', ' 1', '1 ', '1\n', '1e', 'NaN', 'Infinity', 'inf', '0x10', '1_000', '', 'true', '１', '1\0',
]; // biome-ignore format: a list
const overflowing = ['1e308', '1e999', '-1e999', '1.7976931348623159e308', '1e-999'];

const fields: LogField[] = [
  { kind: 'level' },
  { kind: 'resource' },
  { kind: 'dataset' },
  { kind: 'pattern' },
  ...['map', '', "quo'te", 'ключ', '__proto__', 'a\0b', '7', 'n', 'rare'].map(
    path => ({ kind: 'metadata', path }) as const,
  ),
];
const numbers: LogField[] = ['n', 'n', 'n', 'vast', 'map', 'absent'].map(path => ({
  kind: 'metadata',
  path,
}));

let store: TestStore;
let queries: LogQueries;
let stored: WholeEntry[] = [];
let matchableEntries: MatchableArrival[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
  const random = createRandom(seed);
  stored = await insertRandomBatches(store, random, each => addNumbers(random, each));
  matchableEntries = makeMatchable(stored);
});

after(() => store[Symbol.asyncDispose]());

function addNumbers(random: Random, { entry, ...rest }: WholeEntry): WholeEntry {
  const metadata = {
    ...entry.metadata,
    ...(random() < 0.8 && { n: pick(random, numerals) }),
    ...(random() < 0.2 && { vast: pick(random, [...overflowing, '1']) }),
    ...(random() < 0.3 && { rare: String(Math.floor(random() * 300)) }),
  };
  return { ...rest, entry: { ...entry, metadata } };
}

function makeFilter(random: Random): LogFilter {
  const scope = makeScope(random);
  const kind = random();
  if (kind < 0.5) return random() < 0.5 ? matchAll(scope) : { ...scope, condition: everything };
  const condition =
    kind < 0.75 ? makeParameters(random) : makeCondition(random, [pick(random, stored).entry.traceId]);
  return { ...scope, condition };
}

function makeQuestion(random: Random): LogSeriesQuestion {
  const statistic = pick(random, logStatistics);
  const field = pick(random, statistic === 'unique' ? fields : numbers);
  return {
    buckets: {
      startMicros: stored[0]!.entry.timestampMicros - Math.floor(random() * dayMicros),
      intervalMicros: 1 + Math.floor((random() * dayMicros) / 4),
      count: 1 + Math.floor(random() * 30),
    },
    by: random() < 0.3 ? null : { field: pick(random, fields), top: 1 + Math.floor(random() * 20) },
    measure: statistic === 'count' ? { statistic } : { statistic, field },
  };
}

test(`series match a count by hand (seed ${seed})`, async () => {
  const random = createRandom(seed + 1);
  let drawn = 0;
  for (let index = 0; index < questions; index++) {
    const filter = makeFilter(random);
    const question = makeQuestion(random);
    const matches = matchableEntries.filter(compileFilter(filter)).map(({ arrived }) => arrived.entry);
    const found = await queries.findSeries(filter, question, signal);
    const described = `LOG_SEED=${seed} ${JSON.stringify({ filter, question })}`;
    requireSame(found, drawByHand(matches, question), described);
    if (found.some(({ points }) => points.some(point => point !== null && point !== 0))) drawn++;
  }
  assert.ok(drawn > questions / 6, `only ${drawn} questions had an answer`);
});

/** Compares series. The last digits of a sum of doubles depend on their order; nothing else does. */
function requireSame(found: readonly LogSeries[], expected: readonly LogSeries[], described: string): void {
  assert.deepEqual(
    found.map(({ value }) => value),
    expected.map(({ value }) => value),
    described,
  );
  for (const [index, { points }] of expected.entries()) {
    assert.equal(found[index]!.points.length, points.length);
    for (const [bucket, point] of points.entries()) {
      const other = found[index]!.points[bucket]!;
      if (point === null || other === null) assert.equal(other, point, `${described} ${index} ${bucket}`);
      else
        assert.ok(Math.abs(other - point) <= Math.abs(point) * 1e-9 + 1e-9, `${described} ${other} ${point}`);
    }
  }
}

function drawByHand(matches: readonly LogEntry[], question: LogSeriesQuestion): LogSeries[] {
  const { buckets, by, measure } = question;
  const place = ({ timestampMicros }: LogEntry) =>
    Math.floor((timestampMicros - buckets.startMicros) / buckets.intervalMicros);
  const inside = matches.filter(entry => place(entry) >= 0 && place(entry) < buckets.count);
  const draw = (value: string | null, entries: readonly LogEntry[]): LogSeries => ({
    value,
    points: Array.from({ length: buckets.count }, (_, bucket) =>
      measureByHand(
        entries.filter(entry => place(entry) === bucket),
        measure,
      ),
    ),
  });
  if (by === null) return [draw(null, inside)];
  const byValue = Map.groupBy(inside, entry => readGiven(entry, by.field));
  const top = [...byValue]
    .filter((group): group is [string, LogEntry[]] => group[0] !== undefined)
    .sort(([one, ones], [other, others]) => others.length - ones.length || compareBytes(one, other))
    .slice(0, by.top);
  const shown = new Set<string | undefined>(top.map(([value]) => value));
  const rest = inside.filter(entry => !shown.has(readGiven(entry, by.field)));
  const isTold = rest.length > 0 && (measure.statistic === 'count' || measure.statistic === 'sum');
  return [...top.map(([value, entries]) => draw(value, entries)), ...(isTold ? [draw(null, rest)] : [])];
}

/** Treats an empty resource as absent. */
function readGiven(entry: LogEntry, field: LogField): string | undefined {
  const value = readValue(entry, field);
  return value === '' && field.kind !== 'metadata' ? undefined : value;
}

function measureByHand(entries: readonly LogEntry[], measure: LogMeasure): number | null {
  if (measure.statistic === 'count') return entries.length;
  const values = entries.map(entry => readGiven(entry, measure.field)).filter(value => value !== undefined);
  if (measure.statistic === 'unique') return new Set(values).size || null;
  const found = values.filter(isNumber).map(Number);
  const point = summarise(found, measure.statistic);
  return point !== null && Number.isFinite(point) ? point : null;
}

function summarise(found: readonly number[], statistic: LogMeasure['statistic']): number | null {
  const sum = found.reduce((total, number) => total + number, 0);
  if (statistic === 'sum') return sum;
  if (found.length === 0) return null;
  if (statistic === 'avg') return sum / found.length;
  const sorted = found.toSorted((one, other) => one - other);
  if (statistic === 'min') return sorted[0]!;
  if (statistic === 'max') return sorted.at(-1)!;
  return sorted[Math.ceil((found.length * Number(statistic.slice(1))) / 100) - 1]!;
}

test('percentiles are exact up to 10,000 numbers in a bucket, and within 1 % beyond', async () => {
  const counts = [9_999, 10_000, 40_001];
  for (const [bucket, count] of counts.entries()) {
    await runOnShards(
      store,
      `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, metadata)
       SELECT 'many', 'many', fromUnixTimestamp64Micro(${manyMicros + bucket * dayMicros} + number, 'UTC'), rand64(), 'info',
         map('ms', toString(if(number % 7 = 0, -1, 1) * exp(number % 1999 / 100)), 'half', toString(number % 2))
       FROM numbers(${count}) WHERE number % ${store.shards.length} = 0`,
    );
  }
  const filter = matchAll({ project: 'many', datasets: null });
  const buckets = { startMicros: manyMicros, intervalMicros: dayMicros, count: counts.length };
  const ask = async (statistic: 'p50' | 'p95' | 'p99' | 'count', path: string) => {
    const measure: LogMeasure =
      statistic === 'count' ? { statistic } : { statistic, field: { kind: 'metadata', path } };
    return (await queries.findSeries(filter, { buckets, by: null, measure }, signal))[0]!.points;
  };
  const held = await ask('count', '');
  const texts = new Map<string, string>();
  for await (const entries of queries.streamEntries(filter, { order: 'asc', after: null }, signal))
    for (const { traceId, metadata } of entries) texts.set(traceId, metadata.ms!);
  const all = [...texts.keys()].sort().map(traceId => Number(texts.get(traceId)));
  let first = 0;
  for (const [bucket, count] of held.entries()) {
    const sorted = all.slice(first, first + count!).sort((one, other) => one - other);
    first += count!;
    for (const statistic of ['p50', 'p95', 'p99'] as const) {
      const expected = sorted[Math.ceil((sorted.length * Number(statistic.slice(1))) / 100) - 1]!;
      const found = (await ask(statistic, 'ms'))[bucket]!;
      if (count! <= 10_000) assert.equal(found, expected);
      else assert.ok(Math.abs(found - expected) <= Math.abs(expected) / 100, `${found} for ${expected}`);
    }
  }
  assert.equal(first, all.length);
});

test('finds the frequent values first among very many', async () => {
  const groups = 400_000;
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, metadata)
     SELECT 'ids', 'ids', fromUnixTimestamp64Micro(${manyMicros} + number, 'UTC'), rand64(), 'info',
       map('id', if(number % 10 = 0, 'often', concat('id ', toString(number))), 'size', toString(number % 4))
     FROM numbers(${groups}) WHERE number % ${store.shards.length} = 0`,
  );
  const filter = matchAll({ project: 'ids', datasets: null });
  const ask = (measure: LogMeasure) => {
    const by = { field: { kind: 'metadata', path: 'id' }, top: 2 } as const;
    const buckets = { startMicros: manyMicros, intervalMicros: groups, count: 2 };
    return queries.findSeries(filter, { buckets, by, measure }, signal);
  };
  const each = store.shards.length; // every shard has the same numbers
  const numbered = Array.from({ length: groups }, (_, number) => number);
  const ids = numbered.filter(number => number % each === 0 && number % 10 > 0).map(number => `id ${number}`);
  const first = ids.reduce((least, id) => (id < least ? id : least));
  const counted = await ask({ statistic: 'count' });
  const [often, single] = counted.map(({ points }) => points[0]!);
  assert.deepEqual([counted[0]!.value, often], ['often', (groups / 10) * each]);
  assert.deepEqual([counted[1]!.value, single, counted[2]!.value], [first, each, null]);
  assert.equal(
    counted.reduce((total, { points }) => total + points[0]!, 0),
    groups,
  );
  const largest = await ask({ statistic: 'max', field: { kind: 'metadata', path: 'size' } });
  assert.deepEqual(
    largest.map(({ value, points }) => [value, ...points]),
    [
      ['often', 2, null],
      [first, Number(first.slice(3)) % 4, null],
    ],
  );
});
