/**
 * Cases for tests: counts of matches by their moments, and patterns that are new in a dataset, found by the store and by
 * going through all entries one by one. LOG_QUESTIONS sets how many, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compileFilter, type LogField, type LogFilter, type MatchableArrival } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import type { LogQueries, TimedCount } from '../../src/queries/logQueries.ts';
import { insertEntries, openQueries, startTestStore, type TestStore } from '../clickhouse.ts';
import { makeMatchable, readValue } from '../countingByHand.ts';
import { makeCondition } from '../randomConditions.ts';
import { createRandom, makeEntries, makeScope, pick, type Random } from '../randomEntries.ts';

const questions = Number(process.env.LOG_QUESTIONS ?? 40);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;
const fields: LogField[] = [
  ...(['level', 'resource', 'dataset', 'pattern'] as const).map(kind => ({ kind })),
  ...['map', '', "quo'te", 'ключ', '__proto__'].map(path => ({ kind: 'metadata', path }) as const),
];

let store: TestStore;
let queries: LogQueries;
let judged: MatchableArrival[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
  const entries = makeEntries(createRandom(seed), 1_500);
  await insertEntries(store, entries);
  judged = makeMatchable(entries);
});

after(() => store[Symbol.asyncDispose]());

function makeFilter(random: Random): LogFilter {
  const { arrived } = pick(random, judged);
  const [one, other] = [arrived, pick(random, judged).arrived].map(({ entry }) => entry.timestampMicros);
  const [fromMicros, toMicros] = [Math.min(one!, other!), Math.max(one!, other!)];
  return {
    ...makeScope(random),
    fromMicros,
    toMicros,
    condition: makeCondition(random, [arrived.entry.traceId]),
  };
}

const listMatches = (filter: LogFilter) => judged.filter(compileFilter(filter)).map(({ arrived }) => arrived);
const write = (counts: readonly TimedCount[]) =>
  counts.map(({ ms, value, count }) => `${ms} ${count} ${JSON.stringify(value)}`).toSorted();

test(`counts matches by moment, in the order of time (seed ${seed})`, async () => {
  const random = createRandom(seed + 1);
  let found = 0;
  for (let question = 0; question < questions; question++) {
    const filter = makeFilter(random);
    const intervalMs = pick(random, [1, 100, 60_000]);
    const field = random() < 0.5 ? pick(random, fields) : null;
    const matches = listMatches(filter).flatMap(({ entry }) => {
      const value = field === null ? '' : readValue(entry, field);
      if (value === undefined || (value === '' && field?.kind === 'resource')) return [];
      const ms = Math.floor(entry.timestampMicros / 1000 / intervalMs) * intervalMs;
      return [{ ms, value: [...value].slice(0, 256).join('') }];
    });
    const values = random() < 0.5 ? null : [...new Set(matches.map(({ value }) => value))].slice(0, 3);
    const chosen = matches.filter(({ value }) => field === null || values === null || values.includes(value));
    const expected = [...Map.groupBy(chosen, ({ ms, value }) => `${ms} ${value}`).values()].map(all => ({
      ...all[0]!,
      count: all.length,
    }));
    const told: TimedCount[] = [];
    const by = field && { field, values };
    for await (const some of queries.streamTallies(filter, { intervalMs, by }, signal)) told.push(...some);
    const described = `LOG_SEED=${seed} ${JSON.stringify({ filter, by })}`;
    assert.deepEqual(write(told), write(expected), described);
    assert.ok(
      told.every(({ ms }, index) => index === 0 || ms >= told[index - 1]!.ms),
      described,
    );
    found += told.length > 0 ? 1 : 0;
  }
  assert.ok(found > questions / 4, `only ${found} questions had an answer`);
});

test(`finds patterns that are the first of their datasets (seed ${seed})`, async () => {
  const random = createRandom(seed + 2);
  const withinMs = 60_000;
  let found = 0;
  for (let question = 0; question < questions; question++) {
    const filter = makeFilter(random);
    const keyOf = ({ entry }: MatchableArrival['arrived']) =>
      `${entry.dataset} ${findPattern(entry.body).pattern}`;
    const ofProject = judged
      .map(({ arrived }) => arrived)
      .filter(({ project }) => project === filter.project);
    const firsts = new Map<string, number>();
    for (const one of ofProject) {
      const key = keyOf(one);
      firsts.set(key, Math.min(firsts.get(key) ?? Number.POSITIVE_INFINITY, one.entry.timestampMicros));
    }
    const matches = Map.groupBy(listMatches(filter), keyOf);
    const expected = [...matches].flatMap(([key, all]) => {
      const matchedAt = Math.min(...all.map(({ entry }) => entry.timestampMicros));
      const isFirst =
        firsts.get(key)! >= filter.fromMicros! && matchedAt <= firsts.get(key)! + withinMs * 1000;
      return isFirst ? [`${key} ${Math.floor(matchedAt / 1000)} ${all.length}`] : [];
    });
    const told = await queries.findFirstPatterns(filter, { withinMs, limit: 10_000 }, signal);
    assert.deepEqual(
      told.map(({ dataset, pattern, ms, count }) => `${dataset} ${pattern} ${ms} ${count}`).toSorted(),
      expected.toSorted(),
      `LOG_SEED=${seed} ${JSON.stringify(filter)}`,
    );
    assert.ok(told.every(({ ms }, index) => index === 0 || ms >= told[index - 1]!.ms));
    found += told.length > 0 ? 1 : 0;
  }
  assert.ok(found > questions / 8, `only ${found} questions had an answer`);
});
