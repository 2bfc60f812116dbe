/** Journal blocks from before patterns are stored unchanged, and queries return them with the patterns of their bodies. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LogEntry } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { openQueries, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { decodeBlock } from '../../../tests/nativeReading.ts';
import {
  appendRow,
  appendTarget,
  createColumns,
  emptyRange,
  encodeBlock,
  widenRange,
} from '../../blocks/native.ts';
import { mergeBlocks, readBlockRows } from '../../blocks/nativeMerging.ts';
import { matchAll } from '../../queries/entries.ts';
import { createAgents } from '../engine/requests.ts';
import { insertBlocks, insertMissing } from './insert.ts';

/** Two entries as version 0.1.0 wrote them. */
const earlierBlock = Buffer.from(
  'CgIHcHJvamVjdAZTdHJpbmcDb25lA29uZQdkYXRhc2V0BlN0cmluZwRnYW1lBGdhbWUNcmV0ZW50aW9uRGF5cwZVSW50MTYeAB4ACXRpbWVzdGFt' +
    'cBREYXRlVGltZTY0KDYsICdVVEMnKQCMsudeRwYAAYyy515HBgAHdHJhY2VJZARVVUlEAHCAz6V8mwEBAAAAAAAAgAFwgM+lfJsBAgAAAAAAAIAI' +
    'cGFyZW50SWQGU3RyaW5nAAFwBWxldmVsN0VudW04KCdkZWJ1ZycgPSAxLCAnaW5mbycgPSAyLCAnd2FybicgPSAzLCAnZXJyb3InID0gNCkCBAhy' +
    'ZXNvdXJjZQZTdHJpbmcGc2VydmVyAARib2R5BlN0cmluZw90aWNrIHRvb2sgNTIgbXMHR3LDtsOfZQhtZXRhZGF0YRNNYXAoU3RyaW5nLCBTdHJp' +
    'bmcpAQAAAAAAAAABAAAAAAAAAANtYXAFYXJlbmE=',
  'base64',
);
const startMicros = Date.UTC(2026, 0, 2, 3) * 1000; // the time of the block's first entry
const columns = createColumns();
const agents = createAgents(1_000);

let store: TestStore;

before(async () => {
  store = await startTestStore();
  appendRow(columns, {
    timestampMicros: startMicros + 2,
    identityHigh: 0x80000000,
    identityLow: 3,
    level: 'warn',
    message: 'of today',
    resource: '',
    parentId: '',
  });
  appendTarget(columns, { project: 'one', dataset: 'game', retentionDays: 30 }, 1);
});
after(() => store[Symbol.asyncDispose]());

const todaysBlock = () => Buffer.concat(encodeBlock(columns));
const expected = [
  ['tick took 52 ms', 'info', { map: 'arena' }],
  ['Größe', 'error', {}],
  ['of today', 'warn', {}],
];

async function* send(...blocks: Buffer[]): AsyncGenerator<Buffer> {
  yield* blocks;
}

async function findAll(): Promise<readonly LogEntry[]> {
  const page = { order: 'asc', limit: 10, offset: 0, after: null } as const;
  const queries = openQueries(store, store.shards);
  const everything = matchAll({ project: 'one', datasets: null });
  return (await queries.findEntries(everything, page, new AbortController().signal)).entries;
}

test('inserts both kinds of blocks at once, also repeatedly', async () => {
  const range = emptyRange();
  widenRange(range, columns.range);
  widenRange(range, { ...range, timeMin: startMicros, identityMin: range.identityMin - 4096 });
  const insert = () => ({ name: 'segment', range, blocks: send(earlierBlock, todaysBlock()) });
  const endpoint = store.shards[0].endpoint()!;
  await insertBlocks(agents, endpoint, insert());
  await insertMissing(agents, endpoint, insert());
  const found = await findAll();
  assert.deepEqual(
    found.map(({ body, level, metadata }) => [body, level, metadata]),
    expected,
  );
  for (const { body, pattern } of found) assert.equal(pattern, findPattern(body).pattern);
});

test('merges them into one block of the current kind', () => {
  const merged = [...decodeBlock(mergeBlocks([earlierBlock, todaysBlock(), earlierBlock]))];
  assert.deepEqual(
    merged.map(({ message, level, metadata }) => [message, level, metadata]),
    [...expected, ...expected.slice(0, 2)],
  );
  const unknown = '0'.repeat(16);
  const patterns = [unknown, unknown, findPattern('of today').pattern, unknown, unknown];
  assert.deepEqual(
    merged.map(({ pattern }) => pattern),
    patterns,
  );
});

test('a deletion finds its rows', () => {
  const rows = [...readBlockRows(earlierBlock)].map(({ dataset, micros }) => [dataset, micros]);
  assert.deepEqual(rows, [
    ['game', startMicros],
    ['game', startMicros + 1],
  ]);
});

test('rejects a block that lacks another column', () => {
  const damaged = Buffer.from(earlierBlock);
  damaged.write('x', damaged.indexOf('resource'));
  assert.throws(() => mergeBlocks([damaged]), /without resource/);
});
