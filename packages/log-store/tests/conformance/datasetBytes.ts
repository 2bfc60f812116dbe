/** Cases for tests: the bytes of datasets add up to those on disk. Datasets that share a part divide it by entries and bodies. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { queryRows } from '../../src/writer/engine/statements.ts';
import { activeParts, localTable } from '../../src/writer/schema/schema.ts';
import {
  insertEntries,
  openQueries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../clickhouse.ts';

const entriesCount = 20_000;
const startMicros = Date.UTC(2026, 2, 1) * 1000;
const monthMicros = 31 * 86_400_000_000;
const signal = new AbortController().signal;

let store: TestStore;
let queries: LogQueries;

before(async () => {
  store = await startTestStore(2048); // the service's granularity, because the size of an index depends on granules
  queries = openQueries(store, store.shards);
});
after(() => store[Symbol.asyncDispose]());

const digest = (index: number) => createHash('sha512').update(`${index}`).digest();
const lettersOf = (index: number) =>
  Array.from(digest(index), byte => (byte % 8 === 0 ? ' ' : String.fromCharCode(97 + (byte % 26)))).join('');

/** Bodies of 64 characters each. */
const bodies: Record<string, (index: number) => string> = {
  alike: () => 'the same line of sixty-four characters, again and again forever',
  letters: lettersOf,
  hex: index => digest(index).toString('hex').slice(0, 64),
  numbers: index => Array.from(digest(index), byte => String(byte % 10)).join(''),
  usual: index =>
    `Player fox${digest(index)[0]} left the server: connection reset in ${index} ms`.padEnd(64, '.'),
};

function makeEntries(project: string, dataset: string, month: number): StoredEntry[] {
  const body = bodies[dataset]!;
  return Array.from({ length: entriesCount }, (_, index) => {
    const timestampMicros = startMicros + month * monthMicros + index * 1_000_000;
    const identity = digest(index + 1e6)
      .toString('hex')
      .slice(0, 16);
    const metadata = { player: String(index % 100) };
    const texts = {
      parentId: '',
      dataset,
      level: 'info',
      resource: 'test',
      body: body(index),
      metadata,
    } as const;
    return {
      project,
      entry: { ...texts, timestampMicros, traceId: composeTraceId(timestampMicros, identity) },
    };
  });
}

async function readTableBytes(): Promise<number> {
  let bytes = 0;
  for (const access of store.shards) {
    const [row] = await queryRows(access, { sql: `SELECT sum(bytes_on_disk) FROM ${activeParts}` });
    bytes += (row as [number])[0]; // a sum without groups is one row
  }
  return bytes;
}

async function insertAndMerge(entries: readonly StoredEntry[]): Promise<void> {
  await insertEntries(store, entries);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
}

async function listBytes(projects: readonly string[]): Promise<Map<string, number>> {
  const listed = new Map<string, number>();
  for (const project of projects)
    for (const { name, bytes } of await queries.listDatasets(project, signal))
      listed.set(`${project} ${name}`, bytes);
  return listed;
}

const longBodies = 200;

test('sums are the bytes on disk: whole parts of a dataset alone, or a share of shared parts', async () => {
  const alone = new Map<string, number>();
  for (const name of Object.keys(bodies)) {
    const bytesBefore = await readTableBytes();
    await insertAndMerge(makeEntries('alone', name, alone.size));
    alone.set(name, (await readTableBytes()) - bytesBefore);
  }
  for (const name of ['usual', 'letters']) await insertEntries(store, makeEntries('shared', name, 10));
  const long = makeEntries('long', 'usual', 10).slice(0, longBodies);
  await insertAndMerge(
    long.map(({ project, entry }, index) => ({
      project,
      entry: { ...entry, body: lettersOf(index).repeat(900) },
    })),
  );
  const listed = await listBytes(['alone', 'shared', 'long']);
  for (const [name, bytes] of alone) assert.equal(listed.get(`alone ${name}`), bytes, name);
  const [usual = 0, letters = 0, ofLong = 0] = ['shared usual', 'shared letters', 'long usual'].map(place =>
    listed.get(place),
  );
  assert.ok(Math.abs(usual / letters - 1) < 0.05, `${usual} and ${letters}: as many, and as long`);
  const each = { long: ofLong / longBodies, short: usual / entriesCount };
  assert.ok(each.long > each.short * 20, `${each.long} bytes a long entry, ${each.short} a short one`);
  const sum = [...listed.values()].reduce((one, other) => one + other);
  assert.ok(Math.abs(sum - (await readTableBytes())) <= listed.size * store.shards.length, `${sum}`); // each figure is rounded
});

test('counts parts that come and go', async () => {
  await insertEntries(store, makeEntries('late', 'usual', 10));
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  const projects = ['alone', 'shared', 'long', 'late'];
  const listed = await listBytes(projects);
  assert.ok(listed.get('late usual')! > 0);
  const sum = [...listed.values()].reduce((one, other) => one + other);
  assert.ok(Math.abs(sum - (await readTableBytes())) <= listed.size * store.shards.length, `${sum}`);
});
