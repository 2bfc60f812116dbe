/** Pages that the key leads to wait for no heavy question, however long ago their entries were written. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  insertEntries,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../../../../tests/logs/clickhouse.ts';
import { composeTraceId } from '../../../domain/logs/query/traceIds.ts';
import { localTable } from '../schema.ts';
import { findEntries, matchAll } from './entries.ts';
import { createRunner } from './running.ts';
import { PartSpans } from './windows.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const dayMicros = 86_400_000_000;
const signal = new AbortController().signal;

let store: TestStore;

before(async () => {
  store = await startTestStore();
  await insertEntries(store, [makeEntry(1), makeEntry(2), makeEntry(3)]);
});
after(() => store[Symbol.asyncDispose]());

function makeEntry(second: number): StoredEntry {
  const timestampMicros = startMicros + second * 1_000_000;
  const traceId = composeTraceId(timestampMicros, `8${second.toString(16).padStart(15, '0')}`);
  const rest = { parentId: '', level: 'info', resource: '', body: `entry ${second}`, metadata: {} } as const;
  return { project: 'one', dataset: 'quiet', entry: { traceId, timestampMicros, ...rest } };
}

test('the latest of a dataset that has been quiet for long come while heavy questions fill the line', async () => {
  const [access] = store.shards;
  const runner = createRunner({ access, memoryBytesMax: 400_000_000, steady: async () => {} });
  using scans = new DisposableStack();
  scans.use(await runner.gates.heavy.enter());
  scans.use(await runner.gates.heavy.enter());
  // A million entries of other datasets have come since: a window over the newest of all holds none of this one.
  const busy = {
    fromMicros: startMicros + dayMicros,
    toMicros: startMicros + 2 * dayMicros,
    entries: 1_000_000,
  };
  const spans = new PartSpans(async () => [busy]);
  const deps = { runner, table: localTable, spans, windowEntries: 20_000, sliceEntries: 200_000 };
  const filter = matchAll({ project: 'one', datasets: ['quiet'] });
  const page = { order: 'desc', limit: 2, offset: 0, after: null, signal } as const;
  const { entries, hasMore } = await findEntries(deps, filter, page);
  assert.deepEqual(
    entries.map(({ body }) => body),
    ['entry 3', 'entry 2'],
  );
  assert.equal(hasMore, true);
});
