/** Cases for tests: what the log store promises about pages, cursors, look-ups, neighbours, datasets and outages. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { composeTraceId, type FoundLogs, type LogEntry, type LogPage } from '@tapedeck/log-entries';
import { matchAll } from '../../src/queries/entries.ts';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { createLogQueries } from '../../src/queries/queries.ts';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../clickhouse.ts';
import { asks } from '../randomConditions.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const secondMicros = 1_000_000;
const signal = new AbortController().signal;
const entriesCount = 4_000;

let store: TestStore;
let queries: LogQueries;
let settled = 0;
let lastIdentity = 0;

const everything = matchAll({ project: 'one', datasets: ['game'] });
const latest: LogPage = { order: 'desc', limit: 50, offset: 0, after: null };

function makeEntry(index: number, changes: Partial<LogEntry> = {}): StoredEntry {
  const timestampMicros = startMicros + index * secondMicros;
  const identity = `8${(++lastIdentity).toString(16).padStart(15, '0')}`;
  const entry: StoredEntry['entry'] = {
    traceId: composeTraceId(timestampMicros, identity),
    parentId: '',
    timestampMicros,
    dataset: 'game',
    level: index % 10 === 0 ? 'error' : 'info',
    resource: 'test',
    body: `Entry ${index} of many words`,
    metadata: { index: String(index), tens: String(Math.floor(index / 10)) },
    ...changes,
  };
  return { project: 'one', entry };
}

before(async () => {
  store = await startTestStore();
  const { shards, clusterName } = store;
  queries = createLogQueries({
    shards,
    clusterName,
    countInserted: clusterName === null ? () => 0 : null,
    memoryBytesMax: 400_000_000,
    flush: async () => {
      settled++;
    },
    waitForWholeBatches: async () => {},
  });
  const entries = Array.from({ length: entriesCount }, (_, index) => makeEntry(index));
  entries.push(makeEntry(2_000, { body: 'Here is the needle7f3a9c and a привет', dataset: 'game' }));
  entries.push(makeEntry(2_000, { body: 'child', parentId: 'parent-1', dataset: 'game' }));
  entries.push(makeEntry(2_000, { body: 'Straße', dataset: 'parents', parentId: 'Straße 7a3' }));
  entries.push(makeEntry(5_000, { body: 'of another dataset', dataset: 'audit' }));
  entries.push({ ...makeEntry(1), project: 'two' });
  await insertEntries(store, entries);
});
after(() => store[Symbol.asyncDispose]());

const indexes = (found: FoundLogs) => found.entries.map(entry => Number(entry.metadata.index));

test('lists the latest entries first, and whether there are more exactly', async () => {
  const found = await queries.findEntries(
    { ...everything, condition: asks('body:entry') },
    { ...latest, limit: 3 },
    signal,
  );
  assert.deepEqual(indexes(found), [3999, 3998, 3997]);
  const offset = entriesCount - 3;
  for (const [limit, hasMore] of [
    [2, true],
    [3, false],
    [4, false],
  ] as const) {
    const page = { ...latest, limit, offset };
    assert.equal(
      (await queries.findEntries({ ...everything, condition: asks('body:entry') }, page, signal)).hasMore,
      hasMore,
    );
  }
});

test('finds an entry once when both its parent and its body match', async () => {
  const filter = { ...everything, datasets: ['parents'], condition: asks('"straße 7A3"') };
  const { entries } = await queries.findEntries(filter, latest, signal);
  assert.deepEqual(
    entries.map(({ parentId }) => parentId),
    ['Straße 7a3'],
  );
});

test('an offset beyond the end finds nothing, however large', async () => {
  for (const offset of [entriesCount + 2, 10_000_000, Number.MAX_SAFE_INTEGER]) {
    const found = await queries.findEntries(everything, { ...latest, offset }, signal);
    assert.deepEqual(found, { entries: [], unread: [], hasMore: false });
  }
});

for (const order of ['asc', 'desc'] as const) {
  test(`pages by cursor, ${order}: repeats and skips no entry while others arrive`, async () => {
    const filter = { ...everything, datasets: [`paged-${order}`] };
    const first = Array.from({ length: 500 }, (_, index) => makeEntry(index, { dataset: `paged-${order}` }));
    await insertEntries(store, first);
    const seen: string[] = [];
    let after: string | null = null;
    let page = await queries.findEntries(filter, { ...latest, order, limit: 70, after }, signal);
    while (page.entries.length > 0) {
      seen.push(...page.entries.map(entry => entry.traceId));
      after = page.entries.at(-1)!.traceId;
      // New entries arrive at the end, and one arrives among entries that were already seen.
      await insertEntries(store, [makeEntry(600 + seen.length, { dataset: `paged-${order}` })]);
      if (!page.hasMore) break;
      page = await queries.findEntries(filter, { ...latest, order, limit: 70, after }, signal);
    }
    assert.equal(new Set(seen).size, seen.length);
    for (const { entry } of first) assert.ok(seen.includes(entry.traceId));
    assert.deepEqual(seen, order === 'asc' ? seen.toSorted() : seen.toSorted().reverse());
  });
}

test('finds an entry by its traceId, in its own project only', async () => {
  const { entries } = await queries.findEntries(
    { ...everything, condition: asks('body:needle') },
    latest,
    signal,
  );
  const [needle] = entries;
  assert.ok(needle);
  const place = { project: 'one', datasets: null, traceId: needle.traceId };
  assert.deepEqual(await queries.findEntry(place, signal), needle);
  assert.deepEqual(await queries.findEntry({ ...place, datasets: ['game'] }, signal), needle);
  assert.deepEqual(
    await queries.findEntry({ ...place, traceId: needle.traceId.toUpperCase() }, signal),
    needle,
  );
  assert.equal(await queries.findEntry({ ...place, datasets: ['audit'] }, signal), null);
  assert.equal(await queries.findEntry({ ...place, datasets: [] }, signal), null);
  assert.equal(await queries.findEntry({ ...place, project: 'two' }, signal), null);
  for (const traceId of ['', 'x', '0'.repeat(32), `${needle.traceId.slice(0, -1)}0`, "' OR 1 = 1 --"]) {
    assert.equal(await queries.findEntry({ ...place, traceId }, signal), null);
  }
});

test('lists context oldest first, of the same dataset, and applies the filter', async () => {
  const { entries } = await queries.findEntries(
    { ...everything, condition: asks('body:needle') },
    latest,
    signal,
  );
  const place = { project: 'one', datasets: null, traceId: entries[0]!.traceId };
  const around = { filter: everything, before: 2, after: 3 };
  const context = await queries.findContext(place, around, signal);
  assert.deepEqual(context?.entry, entries[0]);
  assert.deepEqual(
    context?.before.map(entry => entry.body),
    ['Entry 1999 of many words', 'Entry 2000 of many words'],
  );
  assert.deepEqual(
    context?.after.map(entry => entry.body),
    ['child', 'Entry 2001 of many words', 'Entry 2002 of many words'],
  );
  const errors = await queries.findContext(
    place,
    { ...around, filter: { ...everything, condition: asks('level:error') } },
    signal,
  );
  assert.deepEqual(
    errors?.before.map(entry => entry.metadata.index),
    ['1990', '2000'],
  );
  const none = await queries.findContext(place, { ...around, before: 0, after: 0 }, signal);
  assert.deepEqual([none?.before, none?.after], [[], []]);
  assert.equal(await queries.findContext({ ...place, traceId: '0'.repeat(32) }, around, signal), null);
});

test('lists datasets by name with their contents', async () => {
  const listed = await queries.listDatasets('one', signal);
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['audit', 'game', 'paged-asc', 'paged-desc', 'parents'],
  );
  const [audit, game] = listed;
  assert.deepEqual([audit?.entries, game?.entries], [1, entriesCount + 2]);
  assert.equal(audit?.lastEntryMicros, startMicros + 5_000 * secondMicros);
  assert.equal(game?.lastEntryMicros, startMicros + 3_999 * secondMicros);
  assert.ok((game?.bytes ?? 0) > 10_000);
  assert.deepEqual(await queries.listDatasets('nobody', signal), []);
});

test('reports a larger size for a dataset of long entries than for one of short ones', async () => {
  const make = (dataset: string, length: number) =>
    Array.from({ length: 100 }, (_, index) =>
      makeEntry(index, { dataset, body: randomBytes(length / 2).toString('hex') }),
    );
  await insertEntries(
    store,
    [...make('long', 20_000), ...make('short', 10)].map(one => ({ ...one, project: 'sizes' })),
  );
  const [long, short] = await queries.listDatasets('sizes', signal);
  assert.deepEqual([long?.entries, short?.entries], [100, 100]);
  assert.ok(long!.bytes > 50 * short!.bytes, `${long?.bytes} and ${short?.bytes}`);
});

test('finds the time range of matches, and null without any', async () => {
  assert.deepEqual(await queries.findTimeRange({ ...everything, condition: asks('level:error') }, signal), {
    fromMicros: startMicros,
    toMicros: startMicros + 3_990 * secondMicros,
  });
  assert.equal(
    await queries.findTimeRange({ ...everything, condition: asks('resource:nobody') }, signal),
    null,
  );
});

test('every query first waits for acknowledged entries', async () => {
  const place = { project: 'one', datasets: null, traceId: '0'.repeat(32) };
  const asks = [
    () => queries.findEntries(everything, latest, signal),
    () => queries.countEntries(everything, signal),
    () => queries.findEntry(place, signal),
    () => queries.findContext(place, { filter: everything, before: 1, after: 1 }, signal),
    () => queries.findTimeRange(everything, signal),
    () => queries.countByTime(everything, { startMicros, intervalMicros: 1, count: 1 }, signal),
    () => queries.countValues(everything, { field: { kind: 'level' }, prefix: '', limit: 50 }, signal),
    () => Array.fromAsync(queries.streamEntries(everything, { order: 'asc', after: null }, signal)),
    () => queries.listDatasets('one', signal),
  ];
  for (const ask of asks) {
    const before = settled;
    await ask();
    assert.equal(settled, before + 1);
  }
});

test('an aborted query rejects with the reason of its signal', async () => {
  const aborted = AbortSignal.abort(new Error('gone'));
  await assert.rejects(queries.findEntries(everything, latest, aborted), /gone/);
  await assert.rejects(Array.fromAsync(queries.streamEntries(everything, latest, aborted)), /gone/);
});

test('counts entries by day and dataset, also at the very edges of days', async () => {
  const day = startMicros / 86_400_000_000 - 100;
  const at = (dayIndex: number, micros: number, dataset: string) => {
    const timestampMicros = (day + dayIndex) * 86_400_000_000 + micros;
    const made = makeEntry(0, { dataset, timestampMicros });
    made.entry.traceId = composeTraceId(timestampMicros, made.entry.traceId.slice(16));
    return { ...made, project: 'days' };
  };
  const last = 86_400_000_000 - 1;
  const placed = [
    at(0, last, 'b'),
    at(1, 0, 'b'),
    at(1, last, 'a'),
    at(1, 5, 'a'),
    at(3, 0, 'a'),
    at(4, 0, 'a'),
  ];
  await insertEntries(store, placed);
  assert.deepEqual(await queries.countByDay('days', { fromDay: day + 1, toDay: day + 3 }, signal), [
    { day: day + 1, dataset: 'a', entries: 2 },
    { day: day + 1, dataset: 'b', entries: 1 },
    { day: day + 3, dataset: 'a', entries: 1 },
  ]);
  assert.deepEqual(await queries.countByDay('nobody', { fromDay: 0, toDay: 40_000 }, signal), []);
});
