/** Tests that pages and counts by key do not wait for heavy queries, even for old entries. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId, type LogFilter } from '@tapedeck/log-entries';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { localTable } from '../writer/schema/schema.ts';
import { countEntries } from './counts.ts';
import { findEntries, matchAll, openEntryDeps } from './entries.ts';
import { PartSpans } from './pageGuesses.ts';
import { createRunner, type Runner } from './queryRunner.ts';

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
  const about = { dataset: 'quiet', parentId: '', level: 'info', resource: '', metadata: {} } as const;
  return { project: 'one', entry: { traceId, timestampMicros, body: `entry ${second}`, ...about } };
}

/** Starts the maximum number of concurrent heavy queries. */
function crowdRunner(scans: DisposableStack): Runner {
  const [access] = store.shards;
  const runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
  for (let index = 0; ; index++) {
    const pass = runner.gates.heavy.tryEnter(`project ${index}`);
    if (pass === null) return runner;
    scans.use(pass);
  }
}

test('finds the latest entries of a long-quiet dataset while heavy queries fill the queue', async () => {
  using scans = new DisposableStack();
  const runner = crowdRunner(scans);
  // A million entries of other datasets came later, so a window over the newest entries has none of this dataset.
  const busy = {
    fromMicros: startMicros + dayMicros,
    toMicros: startMicros + 2 * dayMicros,
    entries: 1_000_000,
    bytes: 300_000_000,
    hasCounts: true,
  };
  const spans = new PartSpans(async () => [busy]);
  const sizes = { windowEntries: 20_000, slicedEntries: 8_000_000, sliceEntries: 200_000 };
  const deps = openEntryDeps({ runner, table: localTable, spans, words: null, minutes: null, ...sizes });
  const filter = matchAll({ project: 'one', datasets: ['quiet'] });
  const page = { order: 'desc', limit: 2, offset: 0, after: null, signal } as const;
  const { entries, hasMore } = await findEntries(deps, filter, page);
  assert.deepEqual(
    entries.map(({ body }) => body),
    ['entry 3', 'entry 2'],
  );
  assert.equal(hasMore, true);
});

const wholeProject = matchAll({ project: 'one', datasets: null });
const dataset = matchAll({ project: 'one', datasets: ['quiet'] });
const since = { fromMicros: startMicros + 2_000_000 };
const counts: [string, LogFilter, number][] = [
  ['of a whole project', wholeProject, 3],
  ['of a dataset since a time', { ...dataset, ...since }, 2],
];
for (const [name, filter, expected] of counts) {
  test(`answers a count ${name} while heavy queries fill the queue`, async () => {
    using scans = new DisposableStack();
    const runner = crowdRunner(scans);
    assert.equal(await countEntries({ runner, table: localTable, words: null }, filter, signal), expected);
  });
}

test('a count that has to read entries waits in the queue', async () => {
  using scans = new DisposableStack();
  const runner = crowdRunner(scans);
  let isCounted = false;
  const counted = countEntries(
    { runner, table: localTable, words: null },
    { ...wholeProject, ...since },
    signal,
  );
  void counted.then(() => {
    isCounted = true;
  });
  // Long enough for ten queries that do not wait.
  for (let turn = 0; turn < 10; turn++) {
    assert.equal(await countEntries({ runner, table: localTable, words: null }, dataset, signal), 3);
    assert.equal(isCounted, false);
  }
  scans.dispose();
  assert.equal(await counted, 2);
});
