/** Cases for tests of expiry and deletion: what goes, what stays, and that no query finds what went. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { composeTraceId, type LogFilter } from '@tapedeck/log-entries';
import { dayMs } from '../../src/dayLength.ts';
import type { DatasetRetention, LogRemovals } from '../../src/operations/removals/logRemovals.ts';
import { createLogRemovals } from '../../src/operations/removals/removals.ts';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { createLogQueries } from '../../src/queries/queries.ts';
import { queryRows } from '../../src/writer/engine/statements.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import {
  insertEntries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../clickhouse.ts';
import { asks } from '../randomConditions.ts';
import { namesParts, relay } from '../relay.ts';

const nowMs = Date.UTC(2026, 5, 20, 12);
const signal = new AbortController().signal;

let store: TestStore;
let queries: LogQueries;
let removals: LogRemovals;
let lastIdentity = 0;

before(async () => {
  store = await startTestStore();
  const flush = async () => {};
  const options = {
    shards: store.shards,
    clusterName: store.clusterName,
    countInserted: store.clusterName === null ? () => 0 : null,
    memoryBytesMax: 400_000_000,
    flush,
    isShared: false,
    flushAndForget: flush,
    waitForWholeBatches: flush,
  };
  queries = createLogQueries(options);
  removals = createLogRemovals(options);
});

after(() => store[Symbol.asyncDispose]());
afterEach(() => runOnShards(store, `TRUNCATE TABLE ${localTable}`));

/** Inserts one entry of each age, as one part per partition. */
function insertAges(dataset: string, retentionDays: number, agesDays: readonly number[]): Promise<void> {
  return insertEntries(
    store,
    agesDays.map(age => makeEntry(dataset, retentionDays, age)),
  );
}

function makeEntry(dataset: string, retentionDays: number, age: number): StoredEntry {
  const timestampMicros = (nowMs - age * dayMs) * 1000;
  const identity = `8${(++lastIdentity).toString(16).padStart(15, '0')}`;
  const traceId = composeTraceId(timestampMicros, identity);
  const body = `entry of day ${age}`;
  const entry = {
    traceId,
    parentId: '',
    timestampMicros,
    dataset,
    level: 'info',
    resource: '',
    body,
    metadata: { age: `${age}` },
  } as const;
  return { project: 'one', retentionDays, entry };
}

function filterOf(dataset: string): LogFilter {
  return matchAll({ project: 'one', datasets: [dataset] });
}

async function listAges(dataset: string): Promise<number[]> {
  const page = { order: 'desc', limit: 100, offset: 0, after: null } as const;
  const { entries } = await queries.findEntries(filterOf(dataset), page, signal);
  return entries.map(entry => Number(entry.metadata.age));
}

const dropExpired = (retentions: readonly DatasetRetention[], isDryRun: boolean) =>
  removals.dropExpired(retentions, { nowMs, isDryRun, signal });
const mutationsQuery = `SELECT count() FROM system.mutations WHERE table = 'logs'`;

async function countOnShards(sql: string): Promise<number> {
  let total = 0;
  for (const access of store.shards) total += Number((await queryRows(access, { sql }))[0]?.[0]);
  return total;
}

const keep = (dataset: string, days: number | null) => ({ project: 'one', dataset, days });

test('drops whole partitions of entries with the same retention', async () => {
  await insertAges('game', 7, [0, 1, 6, 8, 9, 20]);
  assert.equal(await dropExpired([keep('game', 7)], true), 3);
  assert.deepEqual(await listAges('game'), [0, 1, 6, 8, 9, 20]);
  const struckBefore = await countOnShards(mutationsQuery);
  assert.equal(await dropExpired([keep('game', 7)], false), 3);
  assert.deepEqual(await listAges('game'), [0, 1, 6]);
  assert.equal(await countOnShards(mutationsQuery), struckBefore, 'nothing was struck out one by one');
});

test('expires to the microsecond, within a partition too', async () => {
  await insertAges('game', 7, [6.9, 7, 7.000001, 7.1]);
  assert.equal(await dropExpired([keep('game', 7)], false), 2);
  assert.deepEqual(await listAges('game'), [6.9, 7]);
});

test('a shorter retention applies to existing entries, and a longer one keeps them', async () => {
  await insertAges('game', 0, [0, 5, 12]);
  await insertAges('audit', 7, [0, 5, 12]);
  await dropExpired([keep('game', 10), keep('audit', 30)], false);
  assert.deepEqual(await listAges('game'), [0, 5]);
  assert.deepEqual(await listAges('audit'), [0, 5, 12]);
});

test('datasets that share partitions expire independently', async () => {
  await insertAges('short', 0, [0, 40, 41]);
  await insertAges('long', 0, [0, 40, 41]);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const struckBefore = await countOnShards(mutationsQuery);
  assert.equal(await dropExpired([keep('short', 30), keep('long', null)], false), 2);
  assert.ok((await countOnShards(mutationsQuery)) > struckBefore, 'a part with others in it stays');
  assert.deepEqual([await listAges('short'), await listAges('long')], [[0], [0, 40, 41]]);
});

test('deleted entries vanish from counts, searches, values and buckets, before and after a merge', async () => {
  await insertAges('short', 0, [1, 2, 3]);
  await insertAges('long', 0, [1, 2, 3]);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const filter = filterOf('short');
  const field = { kind: 'metadata', path: 'age' } as const;
  const countAges = () => queries.countValues(filter, { field, prefix: '', limit: 50 }, signal);
  assert.equal((await countAges()).length, 3); // and the answer is cached
  await dropExpired([keep('short', 2)], false);
  for (const _ of ['struck out', 'merged']) {
    assert.equal(await queries.countEntries(filter, signal), 2);
    assert.equal(await queries.countEntries({ ...filter, condition: asks('body:entry') }, signal), 2);
    assert.equal(await queries.countEntries({ ...filter, condition: asks('body:"day 3"') }, signal), 0);
    assert.deepEqual(await countAges(), [
      { value: '1', count: 1 },
      { value: '2', count: 1 },
    ]);
    assert.equal(
      (await queries.listDatasets('one', signal)).find(({ name }) => name === 'short')?.entries,
      2,
    );
    await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  }
  assert.equal(await countOnShards(`SELECT sum(rows) FROM system.parts WHERE active AND table = 'logs'`), 5);
});

test('deleting a dataset returns its number of entries and keeps the others', async () => {
  await insertAges('gone', 0, [0, 1, 50]);
  await insertAges('stays', 0, [0, 1, 50]);
  const target = { project: 'one', dataset: 'gone' };
  assert.equal(await removals.deleteDataset(target), 3);
  assert.equal(await removals.deleteDataset(target), 0);
  assert.deepEqual([await listAges('gone'), await listAges('stays')], [[], [0, 1, 50]]);
});

test('keeps a dataset of the same name in another project', async () => {
  await insertAges('game', 0, [50]);
  assert.equal(await removals.deleteDataset({ project: 'two', dataset: 'game' }), 0);
  await dropExpired([{ project: 'two', dataset: 'game', days: 1 }], false);
  assert.deepEqual(await listAges('game'), [50]);
});

test('deletes whole projects, whatever shares their parts, and repeatedly', async () => {
  const inTwo = ['game', 'chat'].map(dataset => ({ ...makeEntry(dataset, 7, 1), project: 'two' }));
  const inThree = [0, 40].map(age => ({ ...makeEntry('game', 0, age), project: "three's" }));
  await insertEntries(store, [...inTwo, ...inThree]);
  await insertAges('game', 0, [0, 40]);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const gone = ['never', 'two', ...Array.from({ length: 150 }, (_, index) => `gone${index}`), "three's"];
  const stopped = removals.deleteProjects(gone, AbortSignal.abort());
  await assert.rejects(stopped, { name: 'AbortError' });
  assert.equal(await removals.deleteProjects(gone, signal), 4);
  assert.equal(await removals.deleteProjects(gone, signal), 0);
  assert.equal(await removals.deleteProjects([], signal), 0);
  for (const project of ['two', "three's"])
    assert.equal(await queries.countEntries(matchAll({ project, datasets: null }), signal), 0);
  assert.deepEqual(await listAges('game'), [0, 40]);
});

test('deletes a project of very many datasets by one condition, from own and shared parts', async () => {
  const ofTwo = (age: number) => (_: unknown, index: number) => ({
    ...makeEntry(`game-${index}`, 0, age),
    project: 'two',
  });
  const alone = Array.from({ length: 300 }, ofTwo(100));
  const shared = Array.from({ length: 300 }, ofTwo(50));
  await insertEntries(store, [...alone, ...shared]);
  await insertAges('game-0', 0, [50, 50, 0]);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const statements: string[] = [];
  const [shard, ...others] = store.shards;
  await using watched = await relay(shard, async url => void statements.push(url.search));
  const flush = async () => {};
  const shards = [watched, ...others];
  const { deleteProjects } = createLogRemovals({ shards, flush, isShared: false, flushAndForget: flush });
  assert.equal(await deleteProjects(['two'], signal), 600);
  assert.ok(statements.length < 20, `${statements.length} statements`);
  assert.ok(!statements.some(statement => statement.includes('game-')), 'no dataset is named');
  assert.equal(await queries.countEntries(matchAll({ project: 'two', datasets: null }), signal), 0);
  assert.deepEqual(await listAges('game-0'), [0, 50, 50]);
});

test('waits for an unavailable engine no longer than the signal allows', async () => {
  const flush = () => new Promise<void>(() => undefined);
  const { dropExpired, deleteProjects } = createLogRemovals({
    ...store,
    flush,
    isShared: false,
    flushAndForget: flush,
  });
  const calls = [
    (until: AbortSignal) => dropExpired([keep('game', 7)], { nowMs, isDryRun: false, signal: until }),
    (until: AbortSignal) => deleteProjects(['one'], until),
  ];
  for (const call of calls) {
    const stopping = new AbortController();
    const stopped = call(stopping.signal);
    stopping.abort();
    await assert.rejects(stopped, error => error === stopping.signal.reason);
  }
});

test('expires any number of datasets, alone in their parts or with others', async () => {
  const names = Array.from({ length: 400 }, (_, index) => `game-${index}`);
  // One partition has nothing else in it; the other shares its parts with a dataset that stays.
  const alone = names.flatMap(name => [makeEntry(name, 0, 100), makeEntry(name, 0, 100)]);
  const accompanied = names.flatMap(name => [makeEntry(name, 0, 50), makeEntry(name, 0, 50)]);
  const staying = [makeEntry('stays', 0, 50), makeEntry('stays', 0, 50)];
  const young = [makeEntry('game-0', 0, 0), makeEntry('game-399', 0, 0)];
  await insertEntries(store, [...alone, ...accompanied, ...staying, ...young]);
  const retentions = names.map(name => keep(name, 30));
  assert.equal(await dropExpired(retentions, true), 1_600);
  assert.equal(await dropExpired(retentions, false), 1_600);
  assert.deepEqual([await listAges('game-0'), await listAges('game-399')], [[0], [0]]);
  assert.deepEqual(await listAges('stays'), [50, 50]);
  assert.equal(await queries.countEntries(matchAll({ project: 'one', datasets: null }), signal), 4);
});

test('deletes entries even if their part is merged while the parts are listed', async () => {
  for (const age of [50, 51, 52]) await insertAges('gone', 0, [age]);
  await insertAges('stays', 0, [50]);
  const [shard, ...others] = store.shards;
  let isMerged = false;
  await using watched = await relay(shard, async url => {
    if (!namesParts(url) || isMerged) return;
    isMerged = true;
    await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  });
  const flush = async () => {};
  const shards = [watched, ...others];
  const { deleteDataset } = createLogRemovals({ shards, flush, isShared: false, flushAndForget: flush });
  assert.equal(await deleteDataset({ project: 'one', dataset: 'gone' }), 3);
  assert.ok(isMerged);
  assert.deepEqual([await listAges('gone'), await listAges('stays')], [[], [50]]);
});

test('deletes from many shared partitions in one statement', async () => {
  const ages = Array.from({ length: 6 }, (_, age) => age);
  const entries = ages.flatMap(age => [makeEntry('scattered', 30, age), makeEntry('beside', 30, age)]);
  await insertEntries(store, entries);
  await removals.deleteDataset({ project: 'one', dataset: 'scattered' });
  assert.deepEqual(await queries.countEntries(filterOf('scattered'), signal), 0);
  assert.deepEqual(await queries.countEntries(filterOf('beside'), signal), ages.length);
  const sql = `SELECT count() FROM system.mutations WHERE command LIKE '%_row_exists%scattered%'`;
  for (const shard of store.shards) {
    const [row] = await queryRows(shard, { sql });
    assert.ok(Number(row?.[0]) <= 1, `${row?.[0]} statements`);
  }
});
