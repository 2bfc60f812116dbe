/** Tests pages whose entries take too much memory together: the page names them, and they are read when they are wanted. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId, type ListedLogs } from '@tapedeck/log-entries';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { localTable } from '../writer/schema/schema.ts';
import { type EntryDeps, findEntries, matchAll, openEntryDeps } from './entries.ts';
import { streamListed } from './entriesByKey.ts';
import { pageCharactersMax } from './entryRows.ts';
import { PartSpans } from './pageGuesses.ts';
import { createRunner } from './queryRunner.ts';
import { findChildren, findContext } from './relatedEntries.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const { signal } = new AbortController();
const entries = 12;
const bodyCharacters = pageCharactersMax / 8; // seven of them fit, because each line is a little longer
const parentId = 'p'.repeat(32);

let store: TestStore;
let deps: EntryDeps;

before(async () => {
  store = await startTestStore();
  for (let second = 1; second <= entries; second++) await insertEntries(store, [makeEntry(second)]);
  const [access] = store.shards;
  const runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
  const sizes = { windowEntries: 20_000, slicedEntries: 8_000_000, sliceEntries: 200_000 };
  const spans = new PartSpans(async () => []);
  deps = openEntryDeps({ runner, table: localTable, spans, words: null, minutes: null, ...sizes });
});
after(() => store[Symbol.asyncDispose]());

function traceIdOf(second: number): string {
  return composeTraceId(startMicros + second * 1_000_000, `8${second.toString(16).padStart(15, '0')}`);
}

function makeEntry(second: number): StoredEntry {
  const traceId = traceIdOf(second);
  const timestampMicros = startMicros + second * 1_000_000;
  const about = { dataset: 'wide', parentId, level: 'info', resource: '', metadata: { second: `${second}` } };
  const body = `${second}`.padEnd(bodyCharacters, 'x');
  return { project: 'one', entry: { traceId, timestampMicros, body, ...about, level: 'info' } };
}

const all = matchAll({ project: 'one', datasets: ['wide'] });
const place = { project: 'one', datasets: null, traceId: traceIdOf(6) };

async function readSeconds(
  entries: Parameters<typeof streamListed>[2]['entries'],
): Promise<(string | null)[]> {
  const read = await Array.fromAsync(streamListed(deps, 'one', { entries, signal }));
  return read.map(entry => entry?.metadata.second ?? null);
}

function listSeconds(from: number, to: number): string[] {
  const step = from < to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => `${from + step * index}`);
}

const pages: [string, () => Promise<ListedLogs>, string[]][] = [
  [
    'the newest page',
    () => findEntries(deps, all, { order: 'desc', limit: 10, offset: 0, after: null, signal }),
    listSeconds(12, 3),
  ],
  [
    'the oldest page after an entry',
    () => findEntries(deps, all, { order: 'asc', limit: 11, offset: 0, after: traceIdOf(1), signal }),
    listSeconds(2, 12),
  ],
  [
    'children',
    () => findChildren(deps, { ...place, traceId: parentId }, { limit: 100, signal }),
    listSeconds(1, 12),
  ],
];
for (const [name, find, expected] of pages) {
  test(`${name} holds some entries, and the rest is read in order`, async () => {
    const { entries, unread } = await find();
    assert.equal(entries.length, 7);
    assert.deepEqual(await readSeconds([...entries, ...unread]), expected);
  });
}

test('a page that fits has nothing unread', async () => {
  const page = { order: 'desc', limit: 6, offset: 0, after: null, signal } as const;
  const { entries, unread, hasMore } = await findEntries(deps, all, page);
  assert.deepEqual([entries.length, unread, hasMore], [6, [], true]);
});

test('the entries around one are in order', async () => {
  const context = await findContext(deps, place, { filter: all, before: 10, after: 10, signal });
  assert.ok(context);
  const { unreadBefore, before, entry, after, unreadAfter } = context;
  assert.deepEqual(await readSeconds([...unreadBefore, ...before]), listSeconds(1, 5));
  assert.equal(entry.metadata.second, '6');
  assert.deepEqual(await readSeconds([...after, ...unreadAfter]), listSeconds(7, 12));
});

test('an entry that was deleted meanwhile is null', async () => {
  const unread = [3, 99, 4].map(second => ({
    traceId: traceIdOf(second),
    timestampMicros: startMicros + second * 1_000_000,
    characters: bodyCharacters,
  }));
  assert.deepEqual(await readSeconds(unread), ['3', null, '4']);
});
