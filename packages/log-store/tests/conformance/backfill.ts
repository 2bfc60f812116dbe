/** Cases for tests: entries of an earlier version get what they lack, while tests query and delete them. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { LogEntry, LogFilter } from '@tapedeck/log-entries';
import { createLogBackfill } from '../../src/operations/backfill/backfill.ts';
import type { LogBackfill } from '../../src/operations/backfill/logBackfill.ts';
import { createLogRemovals } from '../../src/operations/removals/removals.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { queryRows } from '../../src/writer/engine/statements.ts';
import type { EngineAccess } from '../../src/writer/engine/supervision.ts';
import { activeParts, localTable, projections } from '../../src/writer/schema/schema.ts';
import { createSchema, readTableState } from '../../src/writer/schema/tables.ts';
import { openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';
import { createFirstTable, insertFirst } from '../firstVersion.ts';
import { asks } from '../randomConditions.ts';
import { createRandom, makeEntries, type WholeEntry } from '../randomEntries.ts';
import { silentLog } from '../rows.ts';

const signal = new AbortController().signal;
const seed = Number(process.env.LOG_SEED ?? Math.floor(Math.random() * 1e9));
const entriesPerBatch = 1_000;
const granularity = 64;
const patternsAsked = 20; // per project

let store: TestStore;
let queries: LogQueries;
let stored: WholeEntry[];

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
});
after(() => store[Symbol.asyncDispose]());

/** Fills a table of the first version with merged parts, unmerged parts, and deleted rows. */
beforeEach(async () => {
  await runOnShards(store, `DROP TABLE ${localTable} SYNC`);
  const random = createRandom(seed);
  const batches = Array.from({ length: 3 }, () => makeEntries(random, entriesPerBatch));
  for (const [shard, access] of store.shards.entries()) {
    await createFirstTable(access, granularity);
    for (const [index, batch] of batches.entries()) {
      await insertFirst(
        access,
        batch.filter((_, position) => position % store.shards.length === shard),
      );
      if (index === 1)
        await runOnShards({ ...store, shards: [access] }, `OPTIMIZE TABLE ${localTable} FINAL`);
    }
  }
  const struckOut = "project = 'two' AND dataset = 'game' AND level = 'info'";
  await runOnShards(
    store,
    `DELETE FROM ${localTable} WHERE ${struckOut} SETTINGS lightweight_deletes_sync = 2`,
  );
  stored = batches
    .flat()
    .filter(({ project, entry: { dataset, level } }) => `${project} ${dataset} ${level}` !== 'two game info');
});

async function open(): Promise<ReturnType<typeof createLogBackfill>> {
  for (const access of store.shards) await createSchema({ access, clusterName: store.clusterName });
  return openBackfill(store.shards);
}

function openBackfill(shards: readonly EngineAccess[]) {
  return createLogBackfill({
    shards,
    log: silentLog,
    memoryBytesMax: 400_000_000,
    requireTables: () => undefined,
  });
}

function filterOf(project: string, text: string): LogFilter {
  return { project, datasets: null, fromMicros: null, toMicros: null, condition: asks(text) };
}

/** Finds all matches, sorted by traceId. */
async function find(filter: LogFilter): Promise<LogEntry[]> {
  const page = { order: 'asc', limit: 10_000, offset: 0, after: null } as const;
  const { entries } = await queries.findEntries(filter, page, signal);
  return entries.toSorted(byTraceId);
}

function byTraceId(one: LogEntry, other: LogEntry): number {
  return one.traceId < other.traceId ? -1 : 1;
}

function expect(project: string, judge: (entry: LogEntry) => boolean): LogEntry[] {
  const ofProject = stored.filter(one => one.project === project).map(({ entry }) => entry);
  return ofProject.filter(judge).toSorted(byTraceId);
}

async function requireRightAnswers(): Promise<void> {
  for (const project of ['one', 'two']) {
    assert.deepEqual(
      await find(filterOf(project, 'body:player')),
      expect(project, ({ body }) => body.toLowerCase().includes('player')),
    );
    const all = await queries.countEntries(filterOf(project, ''), signal);
    assert.equal(all, expect(project, () => true).length);
  }
}

/** Requires that every part has what is declared. */
async function requireWholeParts(): Promise<void> {
  for (const access of store.shards) {
    assert.deepEqual(await readTableState(access, signal), { isWhole: true });
    const lacking = `length(projections) < ${projections.length} OR secondary_indices_compressed_bytes = 0`;
    const rows = await queryRows(access, { sql: `SELECT name FROM ${activeParts} AND (${lacking})` });
    assert.deepEqual(rows, []);
  }
}

async function requirePatterns(): Promise<void> {
  for (const access of store.shards) {
    const [row] = await queryRows(access, { sql: `SELECT count() FROM ${localTable} WHERE pattern = 0` });
    assert.deepEqual(row, [0]);
  }
  for (const project of ['one', 'two']) {
    const patterns = Map.groupBy(
      expect(project, () => true),
      ({ pattern }) => pattern,
    );
    for (const [pattern, entries] of [...patterns].slice(0, patternsAsked))
      assert.deepEqual(await find(filterOf(project, `pattern:${pattern}`)), entries);
  }
}

test(`entries of the first version get their patterns and stay searchable (LOG_SEED=${seed})`, async () => {
  const backfill = await open();
  await requireRightAnswers();
  assert.equal(await backfill.look(signal), true);
  assert.equal(backfill.state?.percent, 0);
  assert.equal(backfill.state?.entriesWithoutPattern, stored.length);
  const running = backfill.run(signal);
  let isRunning = true;
  void running.then(() => {
    isRunning = false;
  });
  while (isRunning) await requireRightAnswers();
  await running;
  assert.equal(await backfill.look(signal), false);
  assert.equal(backfill.state, null);
  await requireRightAnswers();
  await requirePatterns();
  await requireWholeParts();
});

test('completes the remaining entries when a dataset is deleted meanwhile', async () => {
  const backfill = await open();
  await backfill.look(signal);
  const flush = async () => {};
  const removals = createLogRemovals({ shards: store.shards, isShared: false, flush, flushAndForget: flush });
  const running = backfill.run(signal);
  await removals.deleteDataset({ project: 'one', dataset: 'game' });
  stored = stored.filter(({ project, entry: { dataset } }) => project !== 'one' || dataset !== 'game');
  await requireRightAnswers();
  await running;
  while (await backfill.look(signal)) await backfill.run(signal);
  await requireRightAnswers();
  await requirePatterns();
  await requireWholeParts();
});

test('completes later entries without a pattern, as from a node of an earlier version', async () => {
  const backfill = await open();
  while (await backfill.look(signal)) await backfill.run(signal);
  const late = makeEntries(createRandom(seed + 1), 100);
  await insertFirst(store.shards[0], late);
  stored.push(...late);
  assert.equal(await backfill.look(signal), true);
  assert.equal(backfill.state?.entriesWithoutPattern, late.length);
  await backfill.run(signal);
  assert.equal(await backfill.look(signal), false);
  await requireRightAnswers();
  await requirePatterns();
});

test('two nodes can complete entries at the same time', async () => {
  const nodes = [await open(), await open()];
  const complete = async (backfill: LogBackfill) => {
    while (await backfill.look(signal)) await backfill.run(signal);
  };
  await Promise.all(nodes.map(complete));
  await requireRightAnswers();
  await requirePatterns();
  await requireWholeParts();
});

test('reports that a table cannot be altered, and still answers correctly', async () => {
  await open();
  const readOnly: EngineAccess[] = store.shards.map(access => ({
    ...access,
    endpoint: () => ({ ...access.endpoint()!, url: `${access.endpoint()!.url}/?readonly=2` }),
  }));
  const backfill = openBackfill(readOnly);
  assert.equal(await backfill.look(signal), true);
  await backfill.run(signal);
  assert.match(backfill.state?.obstacle ?? '', /may not alter its tables/);
  assert.equal(await backfill.look(signal), false); // it pauses for a while
  await requireRightAnswers();
});
