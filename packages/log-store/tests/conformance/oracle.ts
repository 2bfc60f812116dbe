/**
 * Cases for tests: random queries about random entries, answered by the log store and by going through all entries one by
 * one. Each page is also queried without the indexes. LOG_QUESTIONS sets how many, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  compileFilter,
  type FoundLogs,
  type LogEntry,
  type LogField,
  type LogFilter,
  type LogOrder,
  type LogPage,
  logLevels,
  type MatchableArrival,
} from '@tapedeck/log-entries';
import { everything, keyOfQuestion } from '@tapedeck/log-query-language';
import { formatConditions } from '../../src/queries/conditions.ts';
import { findCountedEntries } from '../../src/queries/countedPages.ts';
import { type CountDeps, countByTime, countEntries } from '../../src/queries/counts.ts';
import { type EntryDeps, findEntries, openEntryDeps } from '../../src/queries/entries.ts';
import { PartSpans } from '../../src/queries/pageGuesses.ts';
import { partsQuery, readPart } from '../../src/queries/parts.ts';
import { PartWords } from '../../src/queries/partWords.ts';
import { createRunner, runQuery } from '../../src/queries/queryRunner.ts';
import { SlotCounts } from '../../src/queries/rollups/slotCounts.ts';
import { streamEntries } from '../../src/queries/streaming.ts';
import { countValues } from '../../src/queries/valueCounts.ts';
import { Binder, queryRows } from '../../src/writer/engine/statements.ts';
import { localTable, nameReadTable } from '../../src/writer/schema/schema.ts';
import { runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { countValuesByHand, makeMatchable } from '../countingByHand.ts';
import { insertRandomBatches } from '../randomBatches.ts';
import { makeCondition, makeParameters } from '../randomConditions.ts';
import { createRandom, makeScope, pick, type Random, type WholeEntry } from '../randomEntries.ts';

const questions = Number(process.env.LOG_QUESTIONS ?? 100);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;

let store: TestStore;
let stored: WholeEntry[] = [];
/** Sorted by id, like pages in ascending order. */
let matchableEntries: MatchableArrival[] = [];

before(async () => {
  store = await startTestStore();
  const random = createRandom(seed);
  stored = await insertRandomBatches(store, random);
  matchableEntries = makeMatchable(stored);
  matchableEntries.sort((one, other) => (one.arrived.entry.traceId < other.arrived.entry.traceId ? -1 : 1));
});

after(() => store[Symbol.asyncDispose]());

/** Applies even to parts with few entries. */
const everyPart = { entriesMin: 1, restSeconds: 0, bytesMax: 64 * 1024 ** 2 };

function openDeps(settings: Record<string, number>): EntryDeps & CountDeps {
  const table = nameReadTable(store.clusterName);
  const runner = createRunner({
    access: store.shards[0],
    memoryBytesMax: 400_000_000,
    waitForWholeBatches: async () => {},
  });
  const load = async () => {
    const listed = store.shards.map(shard => queryRows(shard, { sql: partsQuery }));
    return (await Promise.all(listed)).flat().map(readPart);
  };
  const isAlone = store.clusterName === null;
  const entryDeps = openEntryDeps({
    runner: { ...runner, settings: { ...runner.settings, ...settings } },
    table,
    words: isAlone ? new PartWords(runner, store.shards[0], { limits: everyPart }) : null,
    spans: new PartSpans(load),
    windowEntries: 200, // small enough that a window is sometimes too small
    minutes: null,
    slicedEntries: 500,
    sliceEntries: 1_000,
  });
  return { ...entryDeps, slotCounts: isAlone ? new SlotCounts(runner, store.shards[0]) : null };
}

function answerByHand(filter: LogFilter): LogEntry[] {
  const judge = compileFilter(filter);
  return matchableEntries.filter(judge).map(({ arrived }) => arrived.entry);
}

function makeFilter(random: Random): LogFilter {
  const traceIds = [pick(random, stored).entry.traceId, pick(random, stored).entry.traceId];
  const condition = random() < 0.4 ? makeParameters(random) : makeCondition(random, traceIds);
  return { ...makeScope(random), condition };
}

function describe(filter: LogFilter, place: object): string {
  return `LOG_SEED=${seed} ${keyOfQuestion({ ...filter, ...place })}`;
}

function takePage(matches: readonly LogEntry[], page: LogPage): FoundLogs {
  const { order, after, offset, limit } = page;
  const ordered = order === 'asc' ? matches : matches.toReversed();
  const rest = ordered.filter(
    ({ traceId }) => after === null || (order === 'asc' ? traceId > after : traceId < after),
  );
  return { entries: rest.slice(offset, offset + limit), unread: [], hasMore: rest.length > offset + limit };
}

function makePage(random: Random, matches: readonly LogEntry[]): LogPage {
  const order: LogOrder = pick(random, ['asc', 'desc']);
  const after = random() < 0.3 && matches.length > 0 ? pick(random, matches).traceId : null;
  const offset = after === null && random() < 0.4 ? Math.floor(random() * matches.length * 1.2) : 0;
  return { order, limit: 1 + Math.floor(random() * 60), offset, after };
}

/** Runs queries two at a time, for a machine with two processors. */
async function askMany(count: number, salt: number, ask: (random: Random) => Promise<void>): Promise<void> {
  const lanes = [0, 1].map(async lane => {
    const random = createRandom(seed + salt + lane);
    for (let index = lane; index < count; index += 2) await ask(random);
  });
  await Promise.all(lanes);
}

async function checkPages(salt: number): Promise<void> {
  const [indexed, unindexed] = [openDeps({}), openDeps({ use_skip_indexes: 0 })];
  let found = 0;
  await askMany(questions, salt, async random => {
    const filter = makeFilter(random);
    const matches = answerByHand(filter);
    const page = makePage(random, matches);
    const expected = takePage(matches, page);
    if (matches.length > 0) found++;
    for (const deps of [indexed, unindexed]) {
      assert.deepEqual(
        await findEntries(deps, filter, { ...page, signal }),
        expected,
        describe(filter, page),
      );
      assert.equal(await countEntries(deps, filter, signal), matches.length, describe(filter, {}));
    }
    if (page.limit % 3 !== 0) return; // a third of the questions is enough for a combination of both
    const counted = await findCountedEntries(indexed, filter, { ...page, signal });
    assert.deepEqual(counted, { ...expected, total: matches.length }, describe(filter, page));
  });
  assert.ok(found > questions / 4, `only ${found} questions had an answer`);
}

test(`pages and totals, with the indexes and without (seed ${seed})`, () => checkPages(1));

test(`counts by time and by value (seed ${seed})`, async () => {
  const deps = openDeps({});
  const fields: LogField[] = [
    { kind: 'level' },
    { kind: 'resource' },
    { kind: 'pattern' },
    ...['map', '', 'pos.x', '__proto__', 'a\0b'].map(path => ({ kind: 'metadata', path }) as const),
  ];
  await askMany(questions / 4, 2, async random => {
    const drawn = makeFilter(random);
    const filter = random() < 0.3 ? { ...drawn, condition: everything } : drawn;
    const matches = answerByHand(filter);
    const field = pick(random, fields);
    const question = { field, prefix: '', limit: 50 };
    const expected = countValuesByHand(matches, field).slice(0, question.limit);
    const found = await countValues({ ...deps, shards: store.shards }, filter, { ...question, signal });
    assert.deepEqual(found, expected, describe(filter, field));
    const buckets = {
      startMicros: stored[0]!.entry.timestampMicros - Math.floor(random() * 1e11),
      intervalMicros: 1 + Math.floor(random() * 1e11),
      count: 1 + Math.floor(random() * 50),
    };
    const counted = await countByTime(deps, filter, { ...buckets, signal });
    assert.deepEqual(counted, bucketByHand(matches, buckets), describe(filter, buckets));
  });
});

const conditionsApart = 15; // conditions per statement; each has values, and a statement may have 1,000

test(`many more conditions, each checked against every entry (seed ${seed})`, async () => {
  const { runner, table } = openDeps({});
  await askMany(questions, 4, async random => {
    const filters = Array.from({ length: conditionsApart }, () => makeFilter(random));
    const binder = new Binder();
    const columns = filters.map(filter => {
      return `sumIf(${countUnit} + identity % ${sumModulus}, ${formatConditions(filter, binder)})`;
    });
    const sql = `SELECT ${columns.join(', ')} FROM ${table}`;
    const [row = []] = await runQuery(
      runner,
      { weight: 'heavy', signal },
      { sql, parameters: binder.parameters },
    );
    for (const [index, filter] of filters.entries()) {
      const matches = answerByHand(filter);
      const sum = matches.reduce((total, { traceId }) => total + countUnit + remainderOf(traceId), 0);
      assert.equal(row[index], sum, describe(filter, {}));
    }
  });
});

const sumModulus = 1_000_003;
const countUnit = 2 ** 40; // count and sum in one number, so that each condition is read once; exact up to 8,000 entries

const remainders = new Map<string, number>();

function remainderOf(traceId: string): number {
  return remainders.getOrInsertComputed(traceId, computeRemainder);
}

function computeRemainder(traceId: string): number {
  return Number(BigInt(`0x${traceId.slice(16)}`) % BigInt(sumModulus));
}

test(`streams (seed ${seed})`, async () => {
  const deps = openDeps({});
  await askMany(questions / 10, 3, async random => {
    const filter = makeFilter(random);
    const matches = answerByHand(filter);
    const page = { ...makePage(random, matches), offset: 0, limit: stored.length };
    const streamed: LogEntry[] = [];
    for await (const entries of streamEntries(deps, filter, { ...page, signal })) streamed.push(...entries);
    assert.deepEqual(streamed, takePage(matches, page).entries, describe(filter, page));
  });
});

function bucketByHand(
  matches: readonly LogEntry[],
  { startMicros, intervalMicros, count }: { startMicros: number; intervalMicros: number; count: number },
) {
  return Array.from({ length: count }, (_, index) => {
    const start = startMicros + index * intervalMicros;
    const inside = matches.filter(
      ({ timestampMicros }) => timestampMicros >= start && timestampMicros < start + intervalMicros,
    );
    const counts = logLevels.map(level => [level, inside.filter(entry => entry.level === level).length]);
    return { startMicros: start, counts: Object.fromEntries(counts) };
  });
}

test(`pages and totals once all parts are merged and their words loaded (seed ${seed})`, async () => {
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  await checkPages(5);
});
