/** Tests streams whose reader leaves before they begin: they send no statement and leave no listeners. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { composeTraceId, type LogEntry } from '@tapedeck/log-entries';
import { insertEntries, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { type Relay, relay } from '../../tests/relay.ts';
import { matchAll } from './entries.ts';
import type { LogQueries } from './logQueries.ts';
import { createLogQueries } from './queries.ts';

const streamsMax = 4; // running at once
const everything = matchAll({ project: 'one', datasets: ['game'] });
const page = { order: 'asc', after: null } as const;

let store: TestStore;
let watched: Relay;
let asked = 0;

before(async () => {
  store = await startTestStore();
  watched = await relay(store.shards[0], async () => {
    asked++;
  });
  const timestampMicros = Date.now() * 1000;
  const traceId = composeTraceId(timestampMicros, '8000000000000001');
  const about = { dataset: 'game', parentId: '', level: 'info', resource: '', metadata: {} } as const;
  await insertEntries(store, [
    { project: 'one', entry: { traceId, timestampMicros, body: 'one', ...about } },
  ]);
});
after(async () => {
  await watched[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

function openQueries(flush: () => Promise<void>): LogQueries {
  const options = { shards: [watched] as const, clusterName: null, memoryBytesMax: 400_000_000 };
  return createLogQueries({
    ...options,
    flush,
    waitForWholeBatches: async () => {},
    countInserted: null,
  });
}

function startStream(queries: LogQueries, signal: AbortSignal): AsyncIterator<LogEntry[]> {
  return queries.streamEntries(everything, page, signal)[Symbol.asyncIterator]();
}

test('sends no query for a reader who leaves before the stream starts', async () => {
  const queries = openQueries(async () => {});
  const signal = AbortSignal.abort(new Error('gone'));
  await assert.rejects(startStream(queries, signal).next(), /gone/);
  assert.equal(asked, 0);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('leaves no query and no listener of a reader who leaves during the flush', async () => {
  const settled = Promise.withResolvers<void>();
  const queries = openQueries(() => settled.promise);
  const leaver = new AbortController();
  const first = startStream(queries, leaver.signal).next();
  const before = asked;
  leaver.abort(new Error('gone'));
  settled.resolve();
  await assert.rejects(first, /gone/);
  assert.equal(asked, before);
  assert.deepEqual(getEventListeners(leaver.signal, 'abort'), []);
});

test('a reader who leaves while waiting gives up the place in the queue', async () => {
  const queries = openQueries(async () => {});
  const reader = new AbortController();
  const streams = Array.from({ length: streamsMax }, () => startStream(queries, reader.signal));
  for (const stream of streams) assert.equal((await stream.next()).value?.length, 1);
  const leaver = new AbortController();
  const waiting = startStream(queries, leaver.signal).next();
  const behind = startStream(queries, reader.signal);
  const next = behind.next();
  leaver.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.deepEqual(getEventListeners(leaver.signal, 'abort'), []);
  await streams[0]!.return?.();
  assert.equal((await next).value?.length, 1);
  for (const stream of [...streams, behind]) await stream.return?.();
  while (getEventListeners(reader.signal, 'abort').length > 0) await nextTurn(); // Node.js removes its own listeners a little later
});
