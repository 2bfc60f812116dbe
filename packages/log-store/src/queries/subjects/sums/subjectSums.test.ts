/** Tests that pages from sums equal pages from all entries, whatever arrives, is deleted or is lost meanwhile. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { everything, parseQuery } from '@tapedeck/log-query-language';
import { runOnShards, startTestStore, type TestStore } from '../../../../tests/clickhouse.ts';
import { queryRows } from '../../../writer/engine/statements.ts';
import { localTable } from '../../../writer/schema/schema.ts';
import type { LogQueries } from '../../logQueries.ts';
import { createLogQueries } from '../../queries.ts';
import { sumTable } from './sumTable.ts';

let store: TestStore;
let subjectSums: string;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  subjectSums = mkdtempSync(path.join(tmpdir(), 'tapedeck-sums-'));
  after(() => rmSync(subjectSums, { recursive: true, force: true }));
  await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
  await runOnShards(store, `DROP TABLE IF EXISTS ${sumTable}`);
  await insert({ first: 0, count: 3_000 });
});

const paths = { idPaths: ['player.id', 'victim.id'], namePaths: ['player.name'] };
const kinds = [{ project: 'one', paths }];
const signal = new AbortController().signal;

/** Inserts entries of forty players over eight days. Every 7th names two players, every 11th one twice, and every 13th none. */
async function insert({ first, count, minutes = 60 }: { first: number; count: number; minutes?: number }) {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata, arrivedAt)
      SELECT if(number % 17 = 0, 'two', 'one'), 'game', toDateTime64('2026-01-01 00:00:00', 6) + (number * 7919) % 691200, number,
        ['debug', 'info', 'warn', 'error'][1 + number % 4], ['', 'shop', 'chat'][1 + intDiv(number, 5) % 3], '', 'joined',
        multiIf(number % 13 = 0, map('other', 'x'),
          number % 7 = 0, map('player.id', toString(number % 40), 'victim.id', toString((number + 1) % 40), 'player.name', 'Both'),
          number % 11 = 0, map('player.id', toString(number % 40), 'victim.id', toString(number % 40)),
          map('player.id', toString(number % 40), 'player.name', concat('Ä', toString(number % 3)))),
        now64(6) - INTERVAL ${minutes} MINUTE
      FROM numbers(${first}, ${count})`,
  );
}

function openQueries(directory: string | null): LogQueries {
  const flush = async () => {};
  return createLogQueries({
    shards: store.shards,
    clusterName: null,
    countInserted: null,
    memoryBytesMax: 400_000_000,
    flush,
    waitForWholeBatches: flush,
    subjectSums: directory,
  });
}

/** Finds a profile and sorts its values, because values with equal last times come in any order. */
async function find(queries: LogQueries, id: string) {
  const found = await queries.findProfile('one', { paths, id, valuesMax: 100 }, signal);
  return found && { ...found, values: found.values.map(value => JSON.stringify(value)).sort() };
}

/** Compares some players, and one that does not exist. */
async function requireSame(queries: LogQueries): Promise<void> {
  const reading = openQueries(null);
  for (const id of ['0', '1', '7', '13', '26', '39', 'none'])
    assert.deepEqual(await find(queries, id), await find(reading, id), id);
}

/** Lists ids with their totals, ordered by id. */
async function list(queries: LogQueries) {
  const lists = await queries.listSubjects('one', paths, signal);
  assert.deepEqual(new Set(lists.flatMap(one => [...one.keys()])).size, lists[0]?.size);
  return [...(lists[0] ?? [])]
    .map(([id, { names, ...sum }]) => ({ id, ...sum, names: [...names].sort() }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Opens queries as after a start: only the disk keeps state. */
async function openSummed(): Promise<LogQueries> {
  const queries = openQueries(subjectSums);
  await queries.keepSums(kinds, signal);
  return queries;
}

/** Changes entries in place, so the store cannot notice. */
const rewrite = `ALTER TABLE ${localTable} UPDATE metadata = map('player.id', 'other') WHERE 1 SETTINGS mutations_sync = 1`;

async function requireSummed(queries: LogQueries): Promise<void> {
  await runOnShards(store, rewrite);
  assert.ok(await find(queries, '7'), 'the sums still tell of a player whom no entry names');
}

async function requireRead(queries: LogQueries): Promise<void> {
  await runOnShards(store, rewrite);
  assert.equal(await find(queries, '7'), null, 'entries were read again');
}

async function countRows(): Promise<number> {
  const [access] = store.shards;
  const [row] = await queryRows(access, { sql: `SELECT count() FROM ${sumTable}` });
  return Number(row?.[0]);
}

test('sums agree with the entries, and a start continues with them', async () => {
  await requireSame(await openSummed());
  const queries = await openSummed();
  await requireSame(queries);
  await requireSummed(queries);
});

test('a round announces which kinds are answered from sums', async () => {
  const queries = openQueries(subjectSums);
  assert.deepEqual(await queries.keepSums(kinds, signal), kinds);
  assert.deepEqual(await queries.keepSums(kinds, signal), []);
  await runOnShards(store, `DELETE FROM ${localTable} WHERE identity % 40 = 7`);
  assert.deepEqual(await queries.keepSums(kinds, signal), kinds);
  assert.deepEqual(await openQueries(null).keepSums(kinds, signal), []);
});

test('reads the list of all from the sums as well', async () => {
  const queries = await openSummed();
  const read = await list(openQueries(null));
  assert.deepEqual([read.length, read[0]?.names.length], [40, 4]);
  assert.deepEqual(await list(queries), read);
  await runOnShards(store, rewrite);
  assert.deepEqual(await list(await openSummed()), read);
  await runOnShards(store, `DELETE FROM ${localTable} WHERE identity = 1`);
  assert.deepEqual(
    (await list(queries)).map(({ id }) => id),
    ['other'],
  );
});

test('includes later entries, even with old times', async () => {
  const queries = await openSummed();
  await insert({ first: 3_000, count: 500, minutes: 0 });
  await requireSame(queries);
  await queries.keepSums(kinds, signal);
  await requireSame(queries);
});

test('adds many later entries to the sums and joins the pieces of a day', async () => {
  const queries = await openSummed();
  for (let turn = 0; turn < 5; turn++) {
    await insert({ first: 10_000 + turn * 55_000, count: 55_000, minutes: 0 });
    await queries.keepSums(kinds, signal);
    await queries.keepSums(kinds, signal); // covers entries that had not settled before
  }
  const [, ...json] = readFileSync(nameLedger(), 'utf8').split(' ');
  const { days } = JSON.parse(json.join(' ')) as { days: [number, number, string, unknown[]][] }; // `write` in ledger.ts writes this type
  assert.deepEqual([days.length, Math.max(...days.map(([, , , pieces]) => pieces.length)) <= 4], [8, true]);
  await requireSame(queries);
  await requireSame(await openSummed());
  assert.ok((await findPage(queries)).length > 20);
  assert.deepEqual(await findPage(queries), await findPage(openQueries(null)));
  await requireSummed(queries);
});

/** Finds a page whose minutes come from sums, and that needs more than one look at them. */
async function findPage(queries: LogQueries): Promise<string[]> {
  const condition = parseQuery('player.id:"7" resource:shop level:error -player.name:Both') ?? everything;
  const filter = { project: 'one', datasets: null, fromMicros: null, toMicros: null, condition };
  const page = { order: 'desc', limit: 100, offset: 0, after: null } as const;
  return (await queries.findEntries(filter, page, signal)).entries.map(({ traceId }) => traceId);
}

test('removes deleted entries from the sums', async () => {
  const queries = await openSummed();
  const before = await countRows();
  await runOnShards(
    store,
    `DELETE FROM ${localTable} WHERE toDate(timestamp) < '2026-01-03' OR identity % 40 = 7`,
  );
  await requireSame(queries);
  await queries.keepSums(kinds, signal);
  await requireSame(queries);
  await queries.keepSums(kinds, signal);
  assert.ok((await countRows()) < before, 'what was replaced is removed a round later');
  await requireSame(queries);
  await requireSummed(queries);
});

const losses: [string, () => Promise<unknown> | unknown][] = [
  ['the ledger is gone', () => rmSync(nameLedger())],
  [
    'the ledger is damaged',
    () => writeFileSync(nameLedger(), readFileSync(nameLedger(), 'utf8').replace('0', '1')),
  ],
  ['the ledger is cut off', () => writeFileSync(nameLedger(), readFileSync(nameLedger()).subarray(0, 90))],
  ['the table is gone', () => runOnShards(store, `DROP TABLE ${sumTable} SYNC`)],
  ['the table is empty', () => runOnShards(store, `TRUNCATE TABLE ${sumTable}`)],
  [
    'a row is gone',
    () => runOnShards(store, `ALTER TABLE ${sumTable} DELETE WHERE id = '7' SETTINGS mutations_sync = 1`),
  ],
  [
    'there are rows of an interrupted build',
    () =>
      runOnShards(store, `INSERT INTO ${sumTable} SELECT * REPLACE (piece + 1 AS piece) FROM ${sumTable}`),
  ],
  [
    'an entry is deleted and another one takes its place',
    async () => {
      await runOnShards(store, `DELETE FROM ${localTable} WHERE identity = 7`);
      await insert({ first: 9_000_007, count: 1 });
    },
  ],
];

for (const [title, lose] of losses)
  test(`a start repairs the sums when ${title}`, async () => {
    await openSummed();
    await lose();
    await requireSame(openQueries(subjectSums));
    const queries = await openSummed();
    await requireSame(queries);
    await requireSummed(queries);
  });

test('answers from entries while the table is missing, until the sums are rebuilt', async () => {
  const queries = await openSummed();
  await runOnShards(store, `DROP TABLE ${sumTable} SYNC`);
  await requireSame(queries);
  await queries.keepSums(kinds, signal);
  await requireSame(queries);
  await requireSummed(queries);
});

test('removes the sums of a kind that is no longer kept', async () => {
  const queries = await openSummed();
  await queries.keepSums([{ project: 'two', paths }], signal);
  assert.equal(readdirSync(subjectSums).length, 1);
  await requireRead(queries);
  await queries.keepSums([], signal);
  assert.equal(await countRows(), 0);
  assert.deepEqual(readdirSync(subjectSums), []);
});

function nameLedger(): string {
  const [name = ''] = readdirSync(subjectSums);
  return path.join(subjectSums, name);
}
