/** Cases for tests: which counts come from the counts kept beside entries, and which from reading the entries. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { composeTraceId, type LogFilter } from '@tapedeck/log-entries';
import { matchAll } from '../../src/queries/entries.ts';
import { createRunner } from '../../src/queries/queryRunner.ts';
import { queryServers, type Sources } from '../../src/queries/rollups/counts.ts';
import { chooseIndexed } from '../../src/queries/rollups/values.ts';
import { indexSettings, localTable } from '../../src/writer/schema/schema.ts';
import { insertEntries, openQueries, runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const minuteMicros = 60_000_000;
const signal = new AbortController().signal;
const filter = matchAll({ project: 'one', datasets: ['game'] });

let store: TestStore;

before(async () => {
  store = await startTestStore();
});
beforeEach(() => runOnShards(store, `TRUNCATE TABLE ${localTable}`));
after(() => store[Symbol.asyncDispose]());

/** Inserts one entry per minute. */
async function insert(count: number, dataset = 'game', makeMetadata = describePlayer): Promise<void> {
  const stored = Array.from({ length: count }, (_, index) => {
    const timestampMicros = startMicros + index * minuteMicros;
    const traceId = composeTraceId(timestampMicros, `8${index.toString(16).padStart(15, '0')}`);
    const rest = { parentId: '', dataset, level: 'info', resource: '', body: '', pattern: '' } as const;
    return { project: 'one', entry: { traceId, timestampMicros, metadata: makeMetadata(index), ...rest } };
  });
  await insertEntries(store, stored);
}

function describePlayer(index: number): Record<string, string> {
  return { map: `map ${index % 3}`, player: String(100_000 + index), ...(index === 7 && { odd: '12.75' }) };
}

function merge(): Promise<void> {
  return runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
}

/** Returns how many parts of the first server have all counts for a path, and how many are read. */
async function look(
  path: string | null,
  asked: LogFilter = filter,
): Promise<[counted: number, read: number]> {
  const runner = createRunner({
    access: store.shards[0],
    memoryBytesMax: 400_000_000,
    waitForWholeBatches: async () => {},
  });
  const choose = async (sources: Sources) => (path === null ? sources : await chooseIndexed(sources, path));
  const [sources] = (await queryServers(
    { runner, shards: [store.shards[0]] },
    { filter: asked, signal },
    choose,
  ))!;
  return [sources!.counted.length, sources!.others.length];
}

async function requireCounts(expected: Record<string, number>): Promise<void> {
  const queries = openQueries(store, store.shards);
  const question = { field: { kind: 'metadata', path: 'map' }, prefix: '', limit: 50 } as const;
  const counts = await queries.countValues(filter, question, signal);
  assert.deepEqual(Object.fromEntries(counts.map(({ value, count }) => [value, count])), expected);
}

test('counts fields of fresh parts without indexes, but reads their values', async () => {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, metadata)
     SETTINGS ${Object.entries(indexSettings)
       .map(setting => setting.join(' = '))
       .join(', ')}
     SELECT 'one', 'game', fromUnixTimestamp64Micro(${startMicros} + number, 'UTC'), number, 'info',
       map('map', concat('map ', toString(number % 3))) FROM numbers(30)`,
  );
  assert.deepEqual(await look(null), [1, 0]);
  assert.deepEqual(await look('map'), [0, 1]);
  const each = 10 * store.shards.length;
  await requireCounts({ 'map 0': each, 'map 1': each, 'map 2': each });
});

test('counts values of merged parts, but reads those of fields with many values', async () => {
  await insert(30);
  await insert(30, 'other');
  await merge();
  assert.deepEqual(await look('map'), [1, 0]);
  assert.deepEqual(await look('odd'), [1, 0]);
  assert.deepEqual(await look('absent'), [1, 0]);
  assert.deepEqual(await look('player'), [0, 1]);
  await requireCounts({ 'map 0': 10, 'map 1': 10, 'map 2': 10 });
});

test('counts no entries of a deleted dataset, and all others as before', async () => {
  await insert(30);
  await insert(30, 'other');
  await merge();
  await runOnShards(store, `DELETE FROM ${localTable} WHERE project = 'one' AND dataset = 'other'`);
  assert.deepEqual(await look('map'), [1, 0]);
  await requireCounts({ 'map 0': 10, 'map 1': 10, 'map 2': 10 });
  assert.deepEqual(await look('map', matchAll({ project: 'one', datasets: ['other'] })), [0, 1]);
});

test('counts no entries that are deleted one by one', async () => {
  await insert(30);
  await merge();
  await runOnShards(store, `DELETE FROM ${localTable} WHERE metadata['map'] = 'map 1'`);
  assert.deepEqual(await look('map'), [0, 1]);
  await requireCounts({ 'map 0': 10, 'map 2': 10 });
  await merge();
  assert.deepEqual(await look('map'), [1, 0]);
  await requireCounts({ 'map 0': 10, 'map 2': 10 });
});

test('counts no entries that are deleted before a merge indexes them', async () => {
  await insert(30);
  await runOnShards(store, `DELETE FROM ${localTable} WHERE metadata['map'] = 'map 1'`);
  await requireCounts({ 'map 0': 10, 'map 2': 10 });
  await merge();
  assert.deepEqual(await look('map'), [1, 0]);
  await requireCounts({ 'map 0': 10, 'map 2': 10 });
});

test('reads a part that an earlier version wrote', async () => {
  await insert(30);
  await merge();
  await runOnShards(
    store,
    `ALTER TABLE ${localTable} CLEAR PROJECTION fieldCounts SETTINGS mutations_sync = 2`,
  );
  assert.deepEqual(await look(null), [0, 1]);
  await requireCounts({ 'map 0': 10, 'map 1': 10, 'map 2': 10 });
  await runOnShards(
    store,
    `ALTER TABLE ${localTable} MATERIALIZE PROJECTION fieldCounts SETTINGS mutations_sync = 2`,
  );
  assert.deepEqual(await look('map'), [1, 0]);
});

test('stores single entries with more fields than there are entries', async () => {
  const many = () =>
    Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`path ${index}`, `${index}`]));
  await insert(store.shards.length, 'game', many);
  await merge();
  assert.deepEqual(await look('path 7'), [1, 0]);
});

test('reads the fewer entries of a slot at the ends of a time range', async () => {
  await insert(60);
  await merge();
  const at = (minute: number) => startMicros + minute * minuteMicros;
  const rows: [from: number | null, to: number | null, pieces: [number | null, number | null, number][]][] = [
    [at(0), at(30) - 1, []],
    [at(2), at(30) - 1, [[at(0), at(2), -1]]],
    [at(13), at(30) - 1, [[at(13), at(15), 1]]],
    [null, at(31), [[at(30), at(31) + 1, 1]]],
    [null, at(43), [[at(43) + 1, at(45), -1]]],
    [at(13), at(43), [[at(13), at(15), 1], [at(43) + 1, at(45), -1]]],
    [at(17), at(19), [[at(17), at(19) + 1, 1]]],
    [at(16), at(29), [[at(15), at(16), -1], [at(29) + 1, at(30), -1]]],
    [at(15), at(28), [[at(28) + 1, at(30), -1]]],
  ]; // biome-ignore format: a table
  const runner = createRunner({
    access: store.shards[0],
    memoryBytesMax: 400_000_000,
    waitForWholeBatches: async () => {},
  });
  for (const [fromMicros, toMicros, expected] of rows) {
    const asked = { filter: { ...filter, fromMicros, toMicros }, signal };
    const [pieces] = (await queryServers(
      { runner, shards: [store.shards[0]] },
      asked,
      async sources => sources.pieces,
    ))!;
    assert.deepEqual(
      pieces!.map(piece => [piece.fromMicros, piece.toMicros, piece.sign]),
      expected,
    );
  }
});
