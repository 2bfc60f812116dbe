/**
 * Cases for tests: random queries for patterns, answered by the log store and by going through all entries one by one.
 * LOG_QUESTIONS sets how many, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  composeTraceId,
  type FoundPatterns,
  type LogBuckets,
  type LogFilter,
  type LogPatternsQuestion,
  type MatchableArrival,
} from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { allOf, everything } from '@tapedeck/log-query-language';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogArrivals, LogQueries } from '../../src/queries/logQueries.ts';
import { divideByMinutes } from '../../src/queries/minutes.ts';
import { Binder, queryRows, runCommand } from '../../src/writer/engine/statements.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { insertEntries, openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { makeMatchable } from '../countingByHand.ts';
import { answerByHand } from '../patternsByHand.ts';
import { insertRandomBatches } from '../randomBatches.ts';
import { asks, makeCondition } from '../randomConditions.ts';
import { createRandom, makeScope, pick, type Random, type WholeEntry } from '../randomEntries.ts';

const questions = Number(process.env.LOG_QUESTIONS ?? 60);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;
const hourMicros = 3_600_000_000;
const limit = 100;

let store: TestStore;
let queries: LogQueries & LogArrivals;
let stored: WholeEntry[] = [];
let matchableEntries: MatchableArrival[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
  const random = createRandom(seed);
  stored = await insertRandomBatches(store, random, each =>
    random() < 0.6 ? changeBody(random, each) : each,
  );
  matchableEntries = makeMatchable(stored);
});

after(() => store[Symbol.asyncDispose]());

/** Replaces the body. Many bodies share a pattern, and some patterns first appear late. */
function changeBody(random: Random, { entry, ...rest }: WholeEntry): WholeEntry {
  const isLate = entry.timestampMicros > stored.length && random() < 0.3;
  const words = isLate ? ['late', 'later'] : ['tick', 'chat', 'save', 'load', 'join'];
  const body = `${pick(random, words)} took ${Math.floor(random() * 1_000)} ms at 10.0.0.${Math.floor(random() * 200)}`;
  return { ...rest, entry: { ...entry, body, ...findPattern(body) } };
}

function makeBuckets(random: Random, { fromMicros, toMicros }: LogFilter): LogBuckets {
  const times = stored.map(({ entry }) => entry.timestampMicros);
  const from = fromMicros ?? times.reduce((one, other) => Math.min(one, other));
  const to = toMicros ?? times.reduce((one, other) => Math.max(one, other));
  if (random() < 0.3) {
    const intervalMicros = pick(random, [hourMicros, 6 * hourMicros]);
    const startMicros = Math.floor(from / intervalMicros) * intervalMicros;
    return { startMicros, intervalMicros, count: Math.floor((to - startMicros) / intervalMicros) + 1 };
  }
  const count = pick(random, [1, 7, 60, 500]);
  return { startMicros: from, intervalMicros: Math.max(1, Math.ceil((to - from + 1) / count)), count };
}

function makeFilter(random: Random): LogFilter {
  const traceIds = [pick(random, stored).entry.traceId];
  const { pattern } = pick(random, stored).entry;
  const counted = [
    'level:error',
    '-level:(info, debug)',
    'dataset:game',
    `-pattern:${pattern}`,
    `pattern:${pattern.slice(0, 2)}*`,
  ];
  const kind = random();
  const condition =
    kind < 0.3
      ? everything
      : kind < 0.6
        ? allOf([asks(pick(random, counted)), asks(pick(random, counted))])
        : makeCondition(random, traceIds);
  return { ...makeScope(random), condition };
}

/** Accepts any body of the pattern as its sample. */
function requireSamples({ total, patterns }: FoundPatterns): FoundPatterns {
  for (const { sample, patterns: all } of patterns) assert.ok(all.includes(findPattern(sample).pattern));
  return { total, patterns: patterns.map(one => ({ ...one, sample: '' })) };
}

async function askMany(count: number): Promise<void> {
  const random = createRandom(seed + count);
  let found = 0;
  for (let index = 0; index < count; index++) {
    const filter = makeFilter(random);
    const question = { buckets: makeBuckets(random, filter), isNew: random() < 0.3, limit };
    const expected = await answerByHand(matchableEntries, filter, question);
    if (expected.total > 0) found++;
    const answer = requireSamples(await queries.findPatterns(filter, question, signal));
    assert.deepEqual(answer, expected, `LOG_SEED=${seed} ${JSON.stringify([filter, question])}`);
  }
  assert.ok(found > count / 4, `only ${found} questions had an answer`);
}

test(`random queries (seed ${seed})`, () => askMany(questions));

const day: LogFilter = matchAll({ project: 'moving', datasets: ['game'] });
const startMicros = Date.UTC(2026, 2, 1) * 1000;
const wholeDay: LogPatternsQuestion = {
  buckets: { startMicros, intervalMicros: hourMicros, count: 24 },
  isNew: false,
  limit,
};

function at(micros: number, body: string, dataset = 'game'): WholeEntry {
  const timestampMicros = startMicros + micros;
  const traceId = composeTraceId(timestampMicros, `8${stored.length.toString(16).padStart(15, '0')}`);
  const about = { parentId: '', level: 'info', resource: '', metadata: {} } as const;
  const whole = {
    project: 'moving',
    entry: { traceId, timestampMicros, dataset, body, ...findPattern(body), ...about },
  };
  stored.push(whole);
  return whole;
}

test('the first time moves with older entries, and covers only the queried datasets', async () => {
  const tell = async (filter: LogFilter, isNew = false) => {
    const { patterns } = await queries.findPatterns(filter, { ...wholeDay, isNew }, signal);
    return patterns.map(({ template, entries, firstMicros }) => [
      template,
      entries,
      firstMicros - startMicros,
    ]);
  };
  const inRange = { ...day, fromMicros: startMicros, toMicros: startMicros + 24 * hourMicros - 1 };
  await insertEntries(store, [
    at(5 * hourMicros, 'tick 1'),
    at(6 * hourMicros, 'tick 2'),
    at(hourMicros, 'boom'),
  ]);
  assert.deepEqual(await tell(inRange, true), [
    ['tick <n>', 2, 5 * hourMicros],
    ['boom', 1, hourMicros],
  ]);
  await insertEntries(store, [at(-hourMicros, 'tick 3'), at(-2 * hourMicros, 'boom', 'other')]);
  assert.deepEqual(await tell(inRange), [
    ['tick <n>', 2, -hourMicros],
    ['boom', 1, hourMicros],
  ]);
  assert.deepEqual(await tell(inRange, true), [['boom', 1, hourMicros]]);
  assert.deepEqual(await tell({ ...inRange, datasets: null }), [
    ['tick <n>', 2, -hourMicros],
    ['boom', 1, -2 * hourMicros],
  ]);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  assert.deepEqual(await tell(inRange, true), [['boom', 1, hourMicros]]);
});

test('finds new patterns among few and among very many', async () => {
  const insert = (seconds: number, patterns: number) =>
    runOnShards(
      store,
      `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, body, pattern)
      SELECT 'many', 'game', fromUnixTimestamp64Micro(${startMicros + seconds * 1_000_000}, 'UTC'), number, 'info', 'drop', number + 1
      FROM numbers(${patterns})`,
    );
  const times = { fromMicros: startMicros, toMicros: startMicros + hourMicros };
  const filter = { ...matchAll({ project: 'many', datasets: null }), ...times };
  const count = async (isNew: boolean) =>
    (await queries.findPatterns(filter, { ...wholeDay, isNew }, signal)).total;
  for (const [known, patterns] of Object.entries({ 40: 90, 45: 300, 50: 3_000 })) {
    await insert(60, patterns);
    await insert(-60, Number(known));
    assert.deepEqual([await count(true), await count(false)], [patterns - Number(known), patterns]);
  }
});

test('finds the patterns of a merged row by its template, both stored and newly arrived', async () => {
  const syllables = 'ka li no ra mi to ve su dan mar bel tor vin shi lux ner zo qua pix gro'.split(' ');
  const spoken = Array.from(
    { length: 300 },
    (_, index) => `${syllables[index % 20]}${syllables[Math.floor(index / 20)]}`,
  );
  const rows = [
    ...spoken.map((word, index) => at(index, `kicked ${word} from the server ${index}`, 'rows')),
    ...spoken.slice(1).map((word, index) => at(index, `welcomed ${word} on the server ${index}`, 'rows')),
  ];
  await insertEntries(store, rows);
  const filter = matchAll({ project: 'moving', datasets: ['rows'] });
  const { patterns, total } = await queries.findPatterns(filter, wholeDay, signal);
  assert.deepEqual(
    [total, patterns.map(({ pattern, entries }) => [pattern, entries])],
    [
      2,
      [
        ['"kicked <*> from the server <n>"', 300],
        ['"welcomed <*> on the server <n>"', 299],
      ],
    ],
  );
  const span = { fromMicros: 0, toMicros: Date.now() * 1000 + hourMicros };
  for (const { pattern, variants, entries } of patterns) {
    assert.ok(variants > 100);
    const asked = { ...filter, condition: asks(`pattern:${pattern}`) };
    assert.equal(await queries.countEntries(asked, signal), entries);
    const [arrived = []] = await queries.countArrived(span, [{ filter: asked, by: null }], signal);
    assert.equal(
      arrived.reduce((sum, { count }) => sum + count, 0),
      entries,
    );
  }
});

test('does not count deleted entries', async () => {
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const isGone = ({ project, entry }: WholeEntry) =>
    (project === 'one' && entry.dataset === 'game') || entry.body.startsWith('tick');
  await runOnShards(
    store,
    `DELETE FROM ${localTable} WHERE project = 'one' AND dataset = 'game' OR startsWith(body, 'tick')
      SETTINGS lightweight_deletes_sync = 2`,
  );
  stored = stored.filter(each => !isGone(each));
  matchableEntries = makeMatchable(stored);
  await askMany(Math.ceil(questions / 3));
});

test('counts whole minutes from their sums, and minutes at a border from entries', async () => {
  const crowd = Array.from({ length: 4_000 }, (_, second) =>
    at(second * 1_000_000, `tick ${second}`, 'crowd'),
  );
  await insertEntries(store, crowd);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const filter = matchAll({ project: 'moving', datasets: ['crowd'] });
  const buckets = { startMicros: startMicros + 1, intervalMicros: hourMicros / 4, count: 4 };
  const ask = (index: number) => {
    const binder = new Binder();
    const { conditions, bucket } = divideByMinutes({ filter, buckets }, binder)[index]!;
    return queryRows(store.shards[0], {
      sql: `SELECT pattern, level, ${bucket} AS bucket, count(), min(timestamp), max(timestamp)
        FROM ${localTable} WHERE ${conditions} GROUP BY pattern, level, bucket`,
      parameters: binder.parameters,
      settings: { force_optimize_projection: 1 },
    });
  };
  assert.ok((await ask(0)).length > 0);
  await assert.rejects(ask(1), { engineCode: 584 }); // because no projection is used
});

/** The last test, because every later merge would include these entries. */
const floodEntries = 300_000;

test('a flood of patterns stays within the memory of a query', async () => {
  const [first] = store.shards;
  const sql = `INSERT INTO ${localTable} (project, dataset, timestamp, traceId, level, body, pattern)
    SELECT 'flood', 'game', fromUnixTimestamp64Micro(${startMicros} + number, 'UTC'), toUUID(generateUUIDv4()), 'info',
      if(number % 75000 = 0, 'often', 'once'), if(number % 75000 = 0, 7, sipHash64(number))
    FROM numbers(${floodEntries})`;
  await runCommand(first, sql);
  const narrow = openQueries(store, store.shards, 30_000_000);
  const { total, patterns } = await narrow.findPatterns(
    matchAll({ project: 'flood', datasets: null }),
    wholeDay,
    signal,
  );
  assert.deepEqual([total, patterns.length], [floodEntries - 3, limit]);
  assert.deepEqual([patterns[0]?.entries, patterns[0]?.sample], [4, 'often']);
});
