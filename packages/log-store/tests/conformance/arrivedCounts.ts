/**
 * Cases for tests: counts of what arrived in spans, for many random queries at once, are compared with a count of all
 * entries one by one. LOG_QUESTIONS sets how many, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compileFilter, type LogField } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { matchAll } from '../../src/queries/entries.ts';
import type { ArrivedQuestion, LogArrivals, LogQueries } from '../../src/queries/logQueries.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { insertEntries, openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { makeMatchable, readValue } from '../countingByHand.ts';
import { asks, makeCondition } from '../randomConditions.ts';
import { createRandom, makeEntries, makeScope, pick, type WholeEntry } from '../randomEntries.ts';

const questionCount = Number(process.env.LOG_QUESTIONS ?? 40);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;
const fields: LogField[] = [
  ...(['level', 'resource', 'dataset', 'pattern'] as const).map(kind => ({ kind })),
  ...['map', '', "quo'te", 'ключ', '__proto__'].map(path => ({ kind: 'metadata', path }) as const),
];

let store: TestStore;
let queries: LogQueries & LogArrivals;
/** Consecutive spans of arrival, with the entries of each. */
const arrived: { fromMicros: number; toMicros: number; entries: readonly WholeEntry[] }[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
  const random = createRandom(seed);
  for (let batch = 0; batch < 3; batch++) {
    const entries = makeEntries(random, 700);
    const { now: begin } = await queries.findEnd(signal);
    await insertEntries(store, entries);
    const { now: end } = await queries.findEnd(signal);
    arrived.push({ fromMicros: begin.micros, toMicros: end.micros, entries });
  }
});

after(() => store[Symbol.asyncDispose]());

const sumOf = (counts: readonly { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0);

test(`counts each query as if it were asked alone (seed ${seed})`, async () => {
  const random = createRandom(seed + 1);
  let found = 0;
  for (const { entries, ...span } of arrived) {
    const judged = makeMatchable(entries);
    const questions = Array.from({ length: questionCount }, (): ArrivedQuestion => {
      const condition = makeCondition(random, [pick(random, entries).entry.traceId]);
      const field = random() < 0.2 ? pick(random, fields) : null;
      return { filter: { ...makeScope(random), condition }, by: field && { field, known: [] } };
    });
    const counts = await queries.countArrived(span, questions, signal);
    assert.equal(counts.length, questions.length);
    for (const [index, { filter, by }] of questions.entries()) {
      const judge = compileFilter({ ...filter, fromMicros: null, toMicros: null });
      const matches = judged.filter(judge).map(one => one.arrived.entry);
      const given = matches.map(entry => (by ? cut(readValue(entry, by.field)) : ''));
      const values = given.filter(
        value => value !== undefined && (value !== '' || by?.field.kind !== 'resource'),
      );
      const described = `LOG_SEED=${seed} ${JSON.stringify({ filter, by })}`;
      const shown = counts[index]!;
      const byValue = Map.groupBy(shown, ({ value }) => value);
      assert.deepEqual(
        [...byValue].map(([value, ofValue]) => [value, sumOf(ofValue)] as const).toSorted(compareFirst),
        [...Map.groupBy(values, value => value!)]
          .map(([value, all]) => [value, all.length] as const)
          .toSorted(compareFirst),
        described,
      );
      assert.ok(
        shown.every(({ ms }) => ms * 1000 + 999 >= span.fromMicros && ms * 1000 < span.toMicros),
        described,
      );
      found += shown.length > 0 ? 1 : 0;
    }
  }
  assert.ok(found > questionCount / 4, `only ${found} questions had an answer`);
});

/** Cuts long values, as answers do. */
function cut(value: string | undefined): string | undefined {
  return value === undefined ? undefined : [...value].slice(0, 256).join('');
}

function compareFirst(one: readonly [string, number], other: readonly [string, number]): number {
  return one[0] < other[0] ? -1 : 1;
}

test('leaves out what arrived outside the span, and counts nothing for an empty span', async () => {
  const [first, second] = arrived;
  const questions = [...new Set(first!.entries.map(({ project }) => project))].map(project => ({
    filter: matchAll({ project, datasets: null }),
    by: null,
  }));
  const ask = async (fromMicros: number, toMicros: number) =>
    sumOf((await queries.countArrived({ fromMicros, toMicros }, questions, signal)).flat());
  const ofThese = (entries: readonly WholeEntry[]) =>
    entries.filter(({ project }) => questions.some(({ filter }) => filter.project === project)).length;
  assert.equal(await ask(first!.fromMicros, second!.fromMicros), first!.entries.length);
  assert.equal(
    await ask(first!.fromMicros, second!.toMicros),
    first!.entries.length + ofThese(second!.entries),
  );
  assert.equal(await ask(second!.fromMicros, second!.fromMicros), 0);
  assert.equal(await ask(second!.toMicros, second!.fromMicros), 0);
});

test('a pattern is new if it never arrived in its dataset before', async () => {
  const later = arrived.at(-1)!;
  const keyOf = ({ project, entry }: WholeEntry) =>
    `${project}/${entry.dataset}/${findPattern(entry.body).pattern}`;
  const before = new Set(arrived.slice(0, -1).flatMap(({ entries }) => entries.map(keyOf)));
  let found = 0;
  for (const project of new Set(later.entries.map(one => one.project))) {
    const errors = later.entries.filter(one => one.project === project && one.entry.level === 'error');
    const fresh = errors.filter(one => !before.has(keyOf(one)));
    const filter = { ...matchAll({ project, datasets: null }), condition: asks('level:error') };
    const [told = []] = await queries.findNewPatterns([filter], later, signal);
    assert.deepEqual(
      told.map(({ dataset, pattern }) => `${project}/${dataset}/${pattern}`).toSorted(),
      [...new Set(fresh.map(keyOf))].toSorted(),
    );
    assert.equal(sumOf(told), fresh.length);
    // Asks again, together with another query, now that some answers are cached.
    const everything = matchAll({ project, datasets: null });
    const [all = [], again] = await queries.findNewPatterns([everything, filter], later, signal);
    assert.deepEqual(again, told);
    assert.ok(all.length >= told.length);
    found += told.length;
  }
  assert.ok(found > 0);
});

test('counts more queries than fit in a statement, with regular-expression characters', async () => {
  const [{ project, entry }] = arrived[0]!.entries as [WholeEntry];
  const texts = ['a.c', '[x', '(', 'x{2}', '^', '$', 'a|b', '\\d', '\\', "'", '-', '/', ' ', '%', '_'];
  const make = (query: string): ArrivedQuestion => ({
    filter: { ...matchAll({ project, datasets: null }), condition: asks(query) },
    by: null,
  });
  const questions = [
    ...texts.map(text => make(JSON.stringify(text))),
    ...Array.from({ length: 600 }, (_, number) => make(`metadata.absent:"nowhere ${number}" level:error`)),
    make(`traceId:${entry.traceId}`),
  ];
  const { entries, ...span } = arrived[0]!;
  const counts = await queries.countArrived(span, questions, signal);
  assert.equal(sumOf(counts.at(-1)!), 1);
  assert.equal(sumOf(counts.slice(texts.length, -1).flat()), 0);
  for (const [index, { filter }] of questions.slice(0, texts.length).entries()) {
    const judge = compileFilter(filter);
    const expected = makeMatchable(entries).filter(judge);
    assert.equal(sumOf(counts[index]!), expected.length, texts[index]!);
  }
});

test('counts the most frequent of very many values in full, wherever their entries lie in time', async () => {
  const startMicros = Date.UTC(2026, 0, 5) * 1000;
  const [others, often] = [60_000, 300];
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, arrivedAt, identity, level, resource, parentId, body, metadata)
    SELECT 'flooded', 'game', arrivedAt, fromUnixTimestamp64Micro(${startMicros} + intDiv(number, 10) * 1000, 'UTC') AS arrivedAt,
      number, 'info', '', '', 'hit', map('player', if(number % ${others / often} = 0, 'bob', toString(number)))
    FROM numbers(${others})`,
  );
  const filter = matchAll({ project: 'flooded', datasets: null });
  const by = { field: { kind: 'metadata', path: 'player' }, known: [] } as const;
  const span = { fromMicros: startMicros, toMicros: startMicros + 60_000_000 };
  const [counts = []] = await queries.countArrived(span, [{ filter, by }], signal);
  assert.equal(sumOf(counts.filter(({ value }) => value === 'bob')), often * store.shards.length);
});
