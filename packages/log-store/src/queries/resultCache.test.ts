/** Tests cached results: a repeated query costs one look at the parts, and every change is visible at once. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { composeTraceId } from '@tapedeck/log-entries';
import {
  insertEntries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { queryRows } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { matchAll } from './entries.ts';
import type { LogQueries } from './logQueries.ts';
import { createLogQueries } from './queries.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const dayMicros = 86_400_000_000;
const signal = new AbortController().signal;
const filter = matchAll({ project: 'one', datasets: ['game'] });
const page = { order: 'desc', limit: 3, offset: 0, after: null } as const;
const buckets = { startMicros, intervalMicros: dayMicros, count: 2 };
const span = { fromDay: startMicros / dayMicros, toDay: startMicros / dayMicros + 1 };

let store: TestStore;
let statements = 0;
let inserted = 0;
let lastIdentity = 0;

before(async () => {
  store = await startTestStore();
});
beforeEach(async () => {
  await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
  await insertEntries(store, [makeEntry(1), makeEntry(2)]);
});
after(() => store[Symbol.asyncDispose]());

function makeEntry(second: number, dataset = 'game'): StoredEntry {
  const timestampMicros = startMicros + second * 1_000_000;
  const traceId = composeTraceId(timestampMicros, `8${(++lastIdentity).toString(16).padStart(15, '0')}`);
  const about = { dataset, parentId: '', level: 'info', resource: '', metadata: {} } as const;
  return { project: 'one', entry: { traceId, timestampMicros, body: `entry ${second}`, ...about } };
}

/** Opens queries with an empty cache, as after a start. Each statement asks for the endpoint. */
function openQueries(): LogQueries {
  const [shard] = store.shards;
  const endpoint = () => {
    statements++;
    return shard.endpoint();
  };
  const options = {
    shards: [{ ...shard, endpoint }],
    clusterName: null,
    countInserted: () => inserted,
    isInserting: () => false,
  } as const;
  const flush = async () => {};
  return createLogQueries({
    ...options,
    memoryBytesMax: 400_000_000,
    flush,
    waitForWholeBatches: flush,
  });
}

/** Counts the entries in each kind of result. */
const questions: [string, (queries: LogQueries) => Promise<number>][] = [
  ['a page', async queries => (await queries.findEntries(filter, page, signal)).entries.length],
  ['a count', queries => queries.countEntries(filter, signal)],
  ['a span', async queries => ((await queries.findTimeRange(filter, signal)) === null ? 0 : 2)],
  ['a histogram', async queries => (await queries.countByTime(filter, buckets, signal))[0]?.counts.info ?? 0],
  [
    'a facet',
    async queries =>
      (await queries.countValues(filter, { field: { kind: 'level' }, prefix: '', limit: 50 }, signal))[0]
        ?.count ?? 0,
  ],
  ['datasets', async queries => (await queries.listDatasets('one', signal))[0]?.entries ?? 0],
  ['days', async queries => (await queries.countByDay('one', span, signal))[0]?.entries ?? 0],
];

async function requireRemembered(ask: () => Promise<number>, entries: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const before = statements;
    assert.equal(await ask(), entries);
    if (statements - before === 1) return;
    assert.ok(Date.now() < deadline, 'the answer is not remembered');
    await wait(20);
  }
}

for (const [name, question] of questions) {
  test(`${name} is cached until entries come or go`, async () => {
    const queries = openQueries();
    const ask = () => question(queries);
    await requireRemembered(ask, 2);
    await runOnShards(store, `DELETE FROM ${localTable} WHERE 1`);
    assert.equal(await ask(), 0);
    if (name === 'a span') return; // a span does not contain the number of entries
    await insertEntries(store, [makeEntry(1), makeEntry(2), makeEntry(3)]);
    assert.equal(await ask(), 3);
    await requireRemembered(ask, 3);
  });
}

test('concurrent queries share one look at the parts', async () => {
  const queries = openQueries();
  const ask = async () => {
    const [found, total] = await Promise.all([
      queries.findEntries(filter, page, signal),
      queries.countEntries(filter, signal),
    ]);
    assert.equal(found.entries.length, total);
    return total;
  };
  await requireRemembered(ask, 2);
});

test('does not cache an answer that a new entry may have changed', async () => {
  for (let round = 3; round < 23; round++) {
    const queries = openQueries();
    await requireRemembered(async () => (await queries.countByTime(filter, buckets, signal)).length, 2);
    const asking = queries.countEntries(filter, signal);
    const inserting = insertEntries(store, [makeEntry(round)]);
    assert.ok([round - 1, round].includes(await asking));
    await inserting;
    assert.equal(await queries.countEntries(filter, signal), round);
  }
});

test('does not cache an answer about a part that came and went between two looks', async () => {
  const queries = openQueries();
  const secret = matchAll({ project: 'one', datasets: ['secret'] });
  await requireRemembered(() => queries.countEntries(filter, signal), 2);
  await insertEntries(store, [makeEntry(3, 'secret')]);
  inserted++;
  assert.equal(await queries.countEntries(secret, signal), 1);
  const [shard] = store.shards;
  const sql = `SELECT _part FROM ${localTable} WHERE dataset = 'secret'`;
  const [[part] = []] = await queryRows(shard, { sql });
  await runOnShards(store, `ALTER TABLE ${localTable} DROP PART '${part}'`);
  const standing = `SELECT count() FROM system.parts WHERE active AND table = 'logs'`;
  const deadline = Date.now() + 10_000; // an empty part takes its place for a moment
  while ((await queryRows(shard, { sql: standing }))[0]?.[0] !== 1) {
    assert.ok(Date.now() < deadline, 'the empty part stays');
    await wait(20);
  }
  assert.equal(await queries.countEntries(secret, signal), 0);
});

test('a new query costs no look at the parts', async () => {
  const queries = openQueries();
  await requireRemembered(() => queries.countEntries(filter, signal), 2);
  const before = statements;
  const counted = await queries.countByTime({ ...filter, condition: asks('level:info') }, buckets, signal);
  assert.equal(counted[0]?.counts.info, 2);
  assert.equal(statements - before, 1);
});

test('does not check the parts while entries keep arriving', async () => {
  const queries = openQueries();
  let asked = 0;
  for (let entries = 3; entries < 13; entries++) {
    await insertEntries(store, [makeEntry(entries)]);
    const before = statements;
    assert.equal(await queries.countEntries(filter, signal), entries);
    asked = statements - before;
  }
  assert.equal(asked, 1);
});
