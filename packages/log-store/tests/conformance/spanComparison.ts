/**
 * Cases for tests: the values of random entries in two time spans, compared by the log store and by going through all entries one
 * by one. LOG_QUESTIONS sets how many queries run, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ComparedValue,
  compileFilter,
  type LogEntry,
  type LogField,
  type LogFilter,
  type LogSpan,
  type MatchableArrival,
} from '@tapedeck/log-entries';
import { everything, nameField } from '@tapedeck/log-query-language';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { compareBytes, makeMatchable } from '../countingByHand.ts';
import { insertRandomBatches } from '../randomBatches.ts';
import { makeCondition, makeParameters } from '../randomConditions.ts';
import { createRandom, makeScope, pick, type Random, type WholeEntry } from '../randomEntries.ts';

const questions = Number(process.env.LOG_QUESTIONS ?? 30);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;
const entriesMin = 5;

let store: TestStore;
let queries: LogQueries;
let stored: WholeEntry[] = [];
let matchableEntries: MatchableArrival[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
  const random = createRandom(seed);
  stored = await insertRandomBatches(store, random, each => renamePath(random, each));
  matchableEntries = makeMatchable(stored);
});

after(() => store[Symbol.asyncDispose]());

/** Adds paths with the names of columns, and some long values. */
function renamePath(random: Random, { entry, ...rest }: WholeEntry): WholeEntry {
  const metadata = {
    ...entry.metadata,
    ...(random() < 0.2 && {
      [pick(random, ['level', 'resource', 'pattern'])]: pick(random, ['info', 'auth']),
    }),
    ...(random() < 0.1 && { long: pick(random, ['x', '🎮']).repeat(2_000) }),
  };
  return { ...rest, entry: { ...entry, metadata } };
}

function pickSpan(random: Random): LogSpan {
  const [one, other] = [pick(random, stored), pick(random, stored)].map(
    ({ entry }) => entry.timestampMicros + pick(random, [-1, 0, 0, 1]),
  );
  return { fromMicros: Math.min(one!, other!), toMicros: Math.max(one!, other!) };
}

function makeQuestion(random: Random) {
  const [span, baseline] = [pickSpan(random), random() < 0.1 ? farAway : pickSpan(random)];
  const condition =
    random() < 0.4
      ? everything
      : random() < 0.5
        ? makeParameters(random)
        : makeCondition(random, [pick(random, stored).entry.traceId]);
  const filter: LogFilter = {
    ...makeScope(random),
    fromMicros: Math.min(span.fromMicros, baseline.fromMicros),
    toMicros: Math.max(span.toMicros, baseline.toMicros),
    condition,
  };
  return { filter, question: { span, baseline, limit: random() < 0.8 ? 500 : 3 } };
}

/** Without entries. */
const farAway: LogSpan = { fromMicros: -1_000_000, toMicros: -1 };

async function compare(random: Random): Promise<number> {
  const { filter, question } = makeQuestion(random);
  const found = await queries.compareSpans(filter, question, signal);
  const matches = matchableEntries.filter(compileFilter(filter)).map(({ arrived }) => arrived.entry);
  const [here, there] = [question.span, question.baseline].map(({ fromMicros, toMicros }) =>
    matches.filter(({ timestampMicros: at }) => fromMicros <= at && at <= toMicros),
  );
  const { values, ...totals } = found;
  const described = `LOG_SEED=${seed} ${JSON.stringify({ filter, question })}`;
  const byHand = countByHand(here!, there!);
  assert.deepEqual(
    totals,
    { entries: here!.length, baselineEntries: there!.length, compared: byHand.length },
    described,
  );
  const expected = byHand.sort(compareLines).slice(0, question.limit);
  const told = values.map(({ field, ...rest }) => ({ name: nameField(field), ...rest }));
  const all = new Map(byHand.map(line => [`${line.name}\0${line.value}`, line]));
  // Values tied with the last one may be cut off.
  assert.deepEqual(
    told.map(line => all.get(`${line.name}\0${line.value}`)?.lead.toFixed(6)),
    expected.map(({ lead }) => lead.toFixed(6)),
    described,
  );
  for (const { name, value, entries, baselineEntries } of told) {
    const { lead: _, ...known } = all.get(`${name}\0${value}`)!;
    assert.deepEqual({ name, value, entries, baselineEntries }, known, described);
  }
  if (question.limit > byHand.length)
    assert.deepEqual(new Set(told.map(nameLine)).size, byHand.length, described);
  return told.length;
}

function nameLine({ name, value }: { name: string; value: string }): string {
  return `${name}\0${value}`;
}

type Line = { name: string; lead: number } & Omit<ComparedValue, 'field'>;

function countByHand(here: readonly LogEntry[], there: readonly LogEntry[]): Line[] {
  const lines = new Map<string, Omit<Line, 'lead'>>();
  const add = (side: 'entries' | 'baselineEntries', entry: LogEntry) => {
    for (const [field, value] of listValues(entry)) {
      const name = nameField(field);
      const line = lines.get(nameLine({ name, value })) ?? { name, value, entries: 0, baselineEntries: 0 };
      lines.set(nameLine(line), { ...line, [side]: line[side] + 1 });
    }
  };
  for (const entry of here) add('entries', entry);
  for (const entry of there) add('baselineEntries', entry);
  return [...lines.values()]
    .filter(({ entries, baselineEntries }) => Math.max(entries, baselineEntries) >= entriesMin)
    .map(line => ({ ...line, lead: weigh(line, here.length, there.length) }));
}

function listValues({ level, resource, dataset, pattern, metadata }: LogEntry): [LogField, string][] {
  return [
    [{ kind: 'level' }, level],
    ...(resource === '' ? [] : [[{ kind: 'resource' }, resource] satisfies [LogField, string]]),
    [{ kind: 'dataset' }, dataset],
    [{ kind: 'pattern' }, pattern],
    ...Object.entries(metadata).map(([path, value]): [LogField, string] => [
      { kind: 'metadata', path },
      value,
    ]),
  ];
}

function weigh({ entries, baselineEntries }: Omit<Line, 'lead'>, allHere: number, allThere: number): number {
  const distance = (entries - baselineEntries) / Math.sqrt(entries + baselineEntries);
  if (allHere === 0 || allThere === 0) return Math.abs(distance);
  const growth = allHere / allThere;
  const share = (entries - baselineEntries * growth) / Math.sqrt(entries + baselineEntries * growth * growth);
  return distance * share > 0 ? Math.min(Math.abs(distance), Math.abs(share)) : 0;
}

function compareLines(one: Line, other: Line): number {
  return other.lead - one.lead || compareBytes(one.name, other.name) || compareBytes(one.value, other.value);
}

test(`two time spans match a count by hand (seed ${seed})`, async () => {
  const random = createRandom(seed + 1);
  let told = 0;
  for (let index = 0; index < questions; index++) if ((await compare(random)) > 0) told++;
  assert.ok(told > questions / 3, `only ${told} questions had an answer`);
});

test('deleted entries no longer count', async () => {
  await runOnShards(store, `DELETE FROM ${localTable} WHERE project = 'one' AND dataset = 'game'`);
  stored = stored.filter(({ project, entry }) => project !== 'one' || entry.dataset !== 'game');
  matchableEntries = makeMatchable(stored);
  const random = createRandom(seed + 2);
  for (let index = 0; index < questions / 4; index++) await compare(random);
});
