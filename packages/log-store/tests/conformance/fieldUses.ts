/**
 * Cases for tests: the fields and values of random entries, found by the log store and by going through all entries one by
 * one. LOG_QUESTIONS sets how many queries run, LOG_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  compileFilter,
  type LogEntry,
  type LogField,
  type LogFilter,
  type MatchableArrival,
} from '@tapedeck/log-entries';
import { everything, nameField } from '@tapedeck/log-query-language';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { queryRows, runCommand } from '../../src/writer/engine/statements.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { compareBytes, countValuesByHand, isNumber, makeMatchable } from '../countingByHand.ts';
import { insertRandomBatches } from '../randomBatches.ts';
import { makeCondition, makeParameters } from '../randomConditions.ts';
import { createRandom, makeScope, paths, pick, type Random, type WholeEntry } from '../randomEntries.ts';

const questions = Number(process.env.LOG_QUESTIONS ?? 30);
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const signal = new AbortController().signal;

/** Paths that are named like something else, and some whose values are all numbers, or nearly all. */
const awkward = [
  'level',
  'resource',
  'body',
  'message',
  'metadata.map',
  'metadata.',
  'metadata',
  'Map',
  'mapped',
];
const numbered = ['ms', 'ms.max', 'size'];
const fields: LogField[] = [
  ...(['level', 'resource', 'dataset', 'pattern'] as const).map(kind => ({ kind }) as const),
  ...[...paths, ...awkward, ...numbered, 'absent'].map(path => ({ kind: 'metadata', path }) as const),
];

let store: TestStore;
let queries: LogQueries;
let stored: WholeEntry[] = [];
let matchableEntries: MatchableArrival[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
  const random = createRandom(seed);
  stored = await insertRandomBatches(store, random, each => addPaths(random, each));
  matchableEntries = makeMatchable(stored);
});

after(() => store[Symbol.asyncDispose]());

function addPaths(random: Random, { entry, ...rest }: WholeEntry): WholeEntry {
  const number = () => pick(random, ['0', '-1', '2.5', '1e9', String(Math.floor(random() * 1e6))]);
  const metadata = {
    ...entry.metadata,
    ...(random() < 0.3 && { [pick(random, awkward)]: pick(random, ['x', 'X', 'xy', 'Ünlü', '12']) }),
    ...(random() < 0.5 && { [pick(random, numbered)]: number() }),
    ...(random() < 0.001 && { size: 'large' }),
    ...(random() < 0.2 && { rare: String(Math.floor(random() * 300)) }),
  };
  return { ...rest, entry: { ...entry, metadata } };
}

function makeFilter(random: Random): LogFilter {
  const scope = makeScope(random);
  if (random() < 0.5) return { ...scope, condition: everything };
  const traceIds = [pick(random, stored).entry.traceId];
  const condition = random() < 0.5 ? makeParameters(random) : makeCondition(random, traceIds);
  return { ...scope, condition };
}

function findMatches(filter: LogFilter): LogEntry[] {
  return matchableEntries.filter(compileFilter(filter)).map(({ arrived }) => arrived.entry);
}

async function compareFields(random: Random): Promise<number> {
  const filter = makeFilter(random);
  const prefix =
    random() < 0.7 ? '' : pick(random, ['m', 'M', 'ms', 'metadata.', 'level', 'ключ', 'a\0', '%', '_']);
  const limit = random() < 0.8 ? 500 : 3;
  const found = await queries.findFields(filter, { prefix, limit }, signal);
  const described = `LOG_SEED=${seed} ${JSON.stringify({ filter, prefix, limit })}`;
  assert.deepEqual(
    found.map(({ field, kind, entries }) => ({ name: nameField(field), kind, entries })),
    listByHand(findMatches(filter), prefix).slice(0, limit),
    described,
  );
  return found.length;
}

function listByHand(matches: readonly LogEntry[], prefix: string) {
  const uses = new Map<string, string[]>();
  const add = (name: string, value: string) => {
    const values = uses.get(name) ?? [];
    uses.set(name, values);
    values.push(value);
  };
  for (const { level, resource, metadata } of matches) {
    add('level', level);
    if (resource !== '') add('resource', resource);
    for (const [path, value] of Object.entries(metadata)) add(nameField({ kind: 'metadata', path }), value);
  }
  return [...uses]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, values]) => ({
      name,
      kind: values.every(isNumber) ? 'number' : 'text',
      entries: values.length,
    }))
    .sort((one, other) => other.entries - one.entries || compareBytes(one.name, other.name));
}

async function compareValues(random: Random): Promise<number> {
  const filter = makeFilter(random);
  const field = pick(random, fields);
  const prefix = random() < 0.5 ? '' : pick(random, ['d', 'DE_', 'X', 'ünL', 'straß', '1', '%', "o'", 'g']);
  const limit = 1 + Math.floor(random() * 100);
  const found = await queries.countValues(filter, { field, prefix, limit }, signal);
  const described = `LOG_SEED=${seed} ${JSON.stringify({ filter, field, prefix, limit })}`;
  assert.deepEqual(found, countValuesByHand(findMatches(filter), field, prefix).slice(0, limit), described);
  return found.length;
}

async function compareMany(random: Random, count: number): Promise<void> {
  let told = 0;
  for (let index = 0; index < count; index++) {
    if ((await compareFields(random)) > 0) told++;
    if ((await compareValues(random)) > 0) told++;
  }
  assert.ok(told > count / 3, `only ${told} questions had an answer`);
}

test(`fields and values match a count by hand (seed ${seed})`, () =>
  compareMany(createRandom(seed + 1), questions));

test('fields and values still match after datasets are deleted and partitions dropped', async () => {
  const random = createRandom(seed + 2);
  await runOnShards(store, `DELETE FROM ${localTable} WHERE project = 'one' AND dataset = 'game'`);
  stored = stored.filter(({ project, entry }) => project !== 'one' || entry.dataset !== 'game');
  matchableEntries = makeMatchable(stored);
  await compareMany(random, questions / 4);
  for (const access of store.shards) {
    const sql = `SELECT DISTINCT _partition_id FROM ${localTable} WHERE retentionDays = 7`;
    for (const [partition] of await queryRows(access, { sql }))
      await runCommand(access, `ALTER TABLE ${localTable} DROP PARTITION ID '${partition}'`);
  }
  stored = stored.filter(({ retentionDays }) => retentionDays !== 7);
  matchableEntries = makeMatchable(stored);
  await compareMany(random, questions / 4);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  await compareMany(random, questions / 4);
});

test('does not mistake deleted entries for values that no index knows', async () => {
  const rows = [
    ...['0', '0'].map(ms => ['goes', ms]),
    ...['0', '145280', '453373'].map(ms => ['stays', ms]),
  ].map(
    ([dataset, ms], index) =>
      `('struck', '${dataset}', '2026-01-05 00:00:00', ${index}, 'info', '', '', '', {'ms': '${ms}'})`,
  );
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata)
    VALUES ${rows.join()}`,
  );
  await runOnShards(store, `DELETE FROM ${localTable} WHERE project = 'struck' AND dataset = 'goes'`);
  const filter = matchAll({ project: 'struck', datasets: null });
  const question = { field: { kind: 'metadata', path: 'ms' }, prefix: '', limit: 9 } as const;
  const found = await queries.countValues(filter, question, signal);
  const count = store.shards.length;
  assert.deepEqual(
    found,
    ['0', '145280', '453373'].map(value => ({ value, count })),
  );
});
