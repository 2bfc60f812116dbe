/** Tests that windows from cached hours equal those that the engine counts, and that a later range reads only what is new. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  composeTraceId,
  type LogFilter,
  type LogWindowsQuestion,
  type SplitWindows,
  type WindowMeasure,
} from '@tapedeck/log-entries';
import {
  insertEntries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { createRandom, pick } from '../../tests/randomEntries.ts';
import { queryRows } from '../writer/engine/statements.ts';
import { activeParts, localTable } from '../writer/schema/schema.ts';
import { matchAll } from './entries.ts';
import type { LogQueries } from './logQueries.ts';
import { createLogQueries } from './queries.ts';
import { createRunner } from './queryRunner.ts';
import { PartsVersion } from './resultCache.ts';
import { divideIntoGranules } from './windowJoins.ts';
import { rememberPieces } from './windowPieces.ts';

const minuteMicros = 60_000_000;
const hourMicros = 60 * minuteMicros;
const startMicros = Date.UTC(2026, 2, 1) * 1000;
const hours = 12;
const signal = new AbortController().signal;
const all = matchAll({ project: 'one', datasets: null });
const random = createRandom(Number(process.env.SEED ?? 33));

let store: TestStore;
let queries: LogQueries;
let inserted = 0;
let lastIdentity = 0;
let find: LogQueries['findWindows'];
/** The number of windows in each question for the engine. */
let asked: number[] = [];
/** Runs while the engine answers. */
let meanwhile = async () => {};
let isInserting = false;

before(async () => {
  store = await startTestStore();
});
beforeEach(async () => {
  await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
  await insertEntries(store, makeHours(0, hours));
  const [shard] = store.shards;
  const options = { memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} };
  queries = createLogQueries({
    ...options,
    shards: [shard],
    clusterName: null,
    countInserted: null,
    flush: async () => {},
  });
  const countInserted = () => inserted;
  const watch = new PartsVersion({
    runner: createRunner({ ...options, access: shard }),
    shard,
    countInserted,
    isInserting: () => isInserting,
  });
  asked = [];
  meanwhile = async () => {};
  find = rememberPieces(async (filter, question, until) => {
    asked.push(question.windows.count);
    await meanwhile();
    return queries.findWindows(filter, question, until);
  }, watch);
});
after(() => store[Symbol.asyncDispose]());

/** Some entries in each hour of a span. */
function makeHours(from: number, to: number): StoredEntry[] {
  return Array.from({ length: (to - from) * 12 }, () => makeEntry(from + random() * (to - from)));
}

function makeEntry(hour: number): StoredEntry {
  const timestampMicros = startMicros + Math.floor(hour * hourMicros);
  const traceId = composeTraceId(timestampMicros, `8${(++lastIdentity).toString(16).padStart(15, '0')}`);
  const level = pick(random, ['info', 'warn', 'error'] as const);
  const metadata = random() < 0.8 ? { ms: String(Math.floor(random() * 1000)) } : { ms: 'none' };
  const about = { dataset: 'game', parentId: '', resource: '', level, metadata };
  const body = JSON.stringify({ status: pick(random, [200, 404, 500]) });
  return { project: 'one', entry: { traceId, timestampMicros, body, ...about } };
}

/** Windows have a length of `steps`, 1 unless stated otherwise. */
type Range = { fromHour: number; toHour: number; stepMicros: number; steps?: number };

function makeWindows({ fromHour, toHour, stepMicros, steps = 1 }: Range): LogWindowsQuestion['windows'] {
  const rangeMicros = steps * stepMicros;
  const firstMicros = startMicros + Math.round(fromHour * hourMicros) + rangeMicros;
  const whole = Math.round(((toHour - fromHour) * hourMicros) / stepMicros);
  const count = Math.max(whole - Math.ceil(steps) + 1, 1);
  return { firstMicros, stepMicros, rangeMicros, count };
}

const counted = { by: [[{ kind: 'level' }]], apart: null, measure: { statistic: 'count' } } as const;
type Asked = Omit<LogWindowsQuestion, 'windows' | 'pointsMax'>;

async function ask(
  range: Range,
  { about = counted, filter = all }: { about?: Asked; filter?: LogFilter } = {},
): Promise<void> {
  const question = { ...about, windows: makeWindows(range), pointsMax: 100_000 };
  const [found, expected] = [
    await find(filter, question, signal),
    await queries.findWindows(filter, question, signal),
  ];
  assert.deepEqual(sort(found), sort(expected));
}

function sort(found: readonly SplitWindows[] | null): unknown[] {
  const groups = (found ?? []).map(({ values, isApart, points }) => [
    values,
    isApart,
    points.toSorted(byWindow),
  ]);
  return groups.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

const byWindow = ([one]: readonly [number, number], [other]: readonly [number, number]) => one - other;

const stepMicros = 5 * minuteMicros;
const halfDay = { fromHour: 0.5, toHour: 9.5, stepMicros };

/** Asks until the hours are cached: the first question does not wait for a look at the parts. */
async function cache(range: Range): Promise<void> {
  await ask(range);
  await ask(range);
  asked = [];
}

test('reads only what a later range adds', async () => {
  await cache(halfDay);
  await ask({ ...halfDay, toHour: 10.5 });
  assert.deepEqual(asked, [18]); // 9:00 to 10:30
  asked = [];
  await ask({ ...halfDay, fromHour: 1.25, toHour: 10.75 });
  assert.deepEqual(asked, [9]); // 10:00 to 10:45
});

test('reads only what a later range adds of windows that overlap, or have gaps', async () => {
  for (const steps of [3, 0.2]) {
    await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
    await cache({ ...halfDay, steps });
    await ask({ ...halfDay, toHour: 10.5, steps });
    assert.deepEqual(asked, [steps === 3 ? 18 : 86]); // 9:00 to 10:30, or to the end of the last minute that is asked for
  }
});

test('reads an hour again after entries came', async () => {
  await cache({ ...halfDay, fromHour: 1, toHour: 9 });
  await runOnShards(store, `SYSTEM STOP MERGES ${localTable}`);
  await insertEntries(store, [makeEntry(4.5)]);
  await ask({ ...halfDay, fromHour: 1, toHour: 9 });
  await runOnShards(store, `SYSTEM START MERGES ${localTable}`);
  assert.deepEqual(asked, [12]);
});

test('reads hours again after entries were deleted', async () => {
  await cache({ ...halfDay, fromHour: 1, toHour: 9 });
  await runOnShards(store, `DELETE FROM ${localTable} WHERE level = 'info'`);
  await ask({ ...halfDay, fromHour: 1, toHour: 9 });
  assert.deepEqual(asked, [96]);
});

test('caches nothing if entries came during the query', async () => {
  await ask(halfDay);
  meanwhile = async () => void inserted++;
  await ask(halfDay);
  meanwhile = async () => {};
  asked = [];
  await ask(halfDay);
  assert.deepEqual(asked, [108]);
});

test('caches nothing while an insert is under way, whose entries may be gone at the next look', async () => {
  await ask(halfDay);
  isInserting = true;
  meanwhile = async () => {
    meanwhile = async () => {};
    await insertEntries(store, [{ ...makeEntry(4.5), retentionDays: 7 }]);
  };
  await ask(halfDay);
  isInserting = false;
  inserted++;
  const [[partition] = []] = await queryRows(store.shards[0], {
    sql: `SELECT partition_id FROM ${activeParts} AND startsWith(partition_id, '7-')`,
  });
  await runOnShards(store, `ALTER TABLE ${localTable} DROP PARTITION ID '${partition}'`);
  await ask(halfDay);
});

test('does not mix questions', async () => {
  await cache(halfDay);
  await ask(halfDay, { filter: { ...all, condition: asks('level:error') } });
  await ask({ ...halfDay, stepMicros: 2 * stepMicros });
  await ask({ ...halfDay, fromHour: halfDay.fromHour + 1 / 60 });
  await ask({ ...halfDay, fromHour: 0.5 + 1e-9 / 3.6 }); // a microsecond later
  await ask(halfDay, { about: { ...counted, by: [] } });
  assert.deepEqual(asked, [108, 54, 108, 108, 108]);
});

const ms = { kind: 'metadata', path: 'ms' } as const;
const measures: readonly WindowMeasure[] = [
  { statistic: 'count' },
  { statistic: 'bytes' },
  { statistic: 'sum', fields: [ms] },
  { statistic: 'avg', fields: [ms] },
  { statistic: 'max', fields: [ms] },
  { statistic: 'last', fields: [ms] },
  { statistic: 'quantile', share: 0.9, fields: [ms] },
];
const splits: readonly LogWindowsQuestion['by'][] = [
  [],
  [[{ kind: 'level' }]],
  [[{ kind: 'member', key: 'status' }], [ms]],
  null,
];

test('finds what the engine finds for random ranges while entries come and go', async () => {
  const abouts = Array.from({ length: 4 }, () => ({
    by: pick(random, splits),
    measure: pick(random, measures),
    apart: pick(random, [null, asks('level:warn')]),
  }));
  let requested = 0;
  asked = [];
  for (let round = 0; round < 60; round++) {
    const fromHour = Math.floor(random() * 40) / 4;
    const toHour = fromHour + 1 + Math.floor(random() * 40) / 4;
    const step = pick(random, [1, 5, 15, 60]) * minuteMicros;
    const steps = pick(random, [1, 1, 1, 2, 3.4, 0.2]);
    const range = { fromHour, toHour, stepMicros: step, steps };
    requested += divideIntoGranules({ ...counted, windows: makeWindows(range), pointsMax: 1 })!.count;
    const bounds = random() < 0.3 ? { fromMicros: startMicros + 2 * hourMicros } : {};
    await ask(range, { about: pick(random, abouts), filter: { ...all, ...bounds } });
    if (random() < 0.15) await insertEntries(store, [makeEntry(random() * hours)]);
    if (random() < 0.05)
      await runOnShards(store, `DELETE FROM ${localTable} WHERE level = 'info' AND identity % 9 = 0`);
    if (random() < 0.05) await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  }
  const read = asked.reduce((sum, count) => sum + count, 0);
  assert.ok(read < requested, 'nothing was cached');
});
