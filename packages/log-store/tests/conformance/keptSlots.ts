/**
 * Cases for tests: counts by level and resource are exact, wherever the borders of the time are, and whether parts keep
 * counts or have lost entries since.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId, type LogFilter, logLevels } from '@tapedeck/log-entries';
import { type Condition, parseQuery } from '@tapedeck/log-query-language';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import {
  insertEntries,
  openQueries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../clickhouse.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const minuteMicros = 60_000_000;
const slotMicros = 15 * minuteMicros;
const stepMicros = 7_000_000; // borders of slots fall between entries, and on them
const entriesEach = 700;
const signal = new AbortController().signal;

let store: TestStore;
let queries: LogQueries;
let stored: StoredEntry[] = [];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
});
after(() => store[Symbol.asyncDispose]());

function makeEntry(index: number, dataset: string): StoredEntry {
  const timestampMicros = startMicros + index * stepMicros;
  const traceId = composeTraceId(timestampMicros, `8${index.toString(16).padStart(15, '0')}`);
  const level = logLevels[index % logLevels.length] ?? 'info';
  const resource = index % 5 === 0 ? '' : `server-${index % 3}`;
  const about = { parentId: '', dataset, level, resource, body: `entry ${index}`, metadata: {} };
  return { project: 'one', entry: { traceId, timestampMicros, ...about } };
}

async function insert(dataset: string): Promise<void> {
  const entries = Array.from({ length: entriesEach }, (_, index) => makeEntry(index, dataset));
  await insertEntries(store, entries);
  stored.push(...entries);
}

async function remove(condition: string, isGone: (entry: StoredEntry['entry']) => boolean): Promise<void> {
  await runOnShards(store, `DELETE FROM ${localTable} WHERE ${condition}`);
  stored = stored.filter(({ entry }) => !isGone(entry));
}

const merge = () => runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
const changeCounts = (verb: string) =>
  runOnShards(store, `ALTER TABLE ${localTable} ${verb} PROJECTION fieldCounts SETTINGS mutations_sync = 2`);

type Judge = (entry: StoredEntry['entry']) => boolean;
const conditions: [string, Judge][] = [
  ['level:error', ({ level }) => level === 'error'],
  ['-level:info', ({ level }) => level !== 'info'],
  ['level:warn OR resource:server-1', ({ level, resource }) => level === 'warn' || resource === 'server-1'],
  ['resource:SERVER-* level:debug', ({ level, resource }) => level === 'debug' && resource !== ''],
  ['dataset:game -level:error', ({ level, dataset }) => dataset === 'game' && level !== 'error'],
];

type Times = Pick<LogFilter, 'fromMicros' | 'toMicros'>;
const at = (slots: number) => startMicros + slots * slotMicros;
const times: Times[] = [
  { fromMicros: null, toMicros: null },
  { fromMicros: at(1), toMicros: null },
  { fromMicros: at(1) + 1, toMicros: at(3) - 1 },
  { fromMicros: at(0), toMicros: at(3) },
  { fromMicros: at(1.2), toMicros: at(2.9) },
  { fromMicros: at(2.1), toMicros: at(2.4) },
  { fromMicros: null, toMicros: at(2) - 2 },
  { fromMicros: at(4), toMicros: at(40) },
  { fromMicros: at(3), toMicros: at(2) },
];

async function requireCounts(): Promise<void> {
  for (const [index, time] of times.entries()) {
    const datasets = [null, ['game'], ['game', 'other']][index % 3] ?? null;
    const within = stored.filter(
      ({ entry }) =>
        (datasets?.includes(entry.dataset) ?? true) &&
        entry.timestampMicros >= (time.fromMicros ?? 0) &&
        entry.timestampMicros <= (time.toMicros ?? Number.POSITIVE_INFINITY),
    );
    const scope = { project: 'one', datasets, ...time };
    for (const [text, judge] of conditions) {
      const found = await queries.countEntries({ ...scope, condition: parse(text) }, signal);
      const expected = within.filter(({ entry }) => judge(entry)).length;
      assert.equal(found, expected, JSON.stringify([text, scope]));
    }
    for (const kind of ['level', 'resource', 'dataset'] as const) {
      const filter = { ...scope, condition: parse('-level:info') };
      const counts = await queries.countValues(filter, { field: { kind }, prefix: '', limit: 9 }, signal);
      const expected = new Map<string, number>();
      for (const { entry } of within)
        if (entry.level !== 'info') expected.set(entry[kind], (expected.get(entry[kind]) ?? 0) + 1);
      assert.deepEqual(new Map(counts.map(({ value, count }) => [value, count])), expected, kind);
    }
  }
}

function parse(text: string): Condition {
  const condition = parseQuery(text);
  assert.ok(condition);
  return condition;
}

const states: [string, () => Promise<void>][] = [
  ['of one new part', () => insert('game')],
  ['of several merged parts', () => insert('other').then(merge)],
  ['of a merged part and a new one', () => insert('third')],
  ['after entries are deleted one by one', () => remove("body LIKE '%7'", ({ body }) => body.endsWith('7'))],
  ['after a dataset is deleted', () => remove("dataset = 'third'", ({ dataset }) => dataset === 'third')],
  ['after another merge', merge],
  ['where parts keep no counts, like those of earlier versions', () => changeCounts('CLEAR')],
  ['where some parts keep counts', () => insert('late')],
  ['completed', () => changeCounts('MATERIALIZE')],
];
for (const [name, reach] of states) {
  test(name, async () => {
    await reach();
    await requireCounts();
  });
}
