/** Cases for tests: the children of entries. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import type { LogQueries } from '../../src/queries/logQueries.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import {
  insertEntries,
  openQueries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../clickhouse.ts';

const signal = new AbortController().signal;
const startMicros = Date.UTC(2026, 4, 1) * 1000;

let store: TestStore;
let queries: LogQueries;

before(async () => {
  store = await startTestStore();
  queries = openQueries(store, store.shards);
});

after(() => store[Symbol.asyncDispose]());

test('finds the children of an entry in all or the readable datasets, oldest first', async () => {
  const add = (second: number, parentId: string, place: string): StoredEntry => {
    const [project = '', dataset = ''] = place.split('/');
    const timestampMicros = startMicros + second * 1_000_000;
    const traceId = composeTraceId(timestampMicros, second.toString(16).padStart(16, '8'));
    const body = String(second);
    return {
      project,
      entry: { traceId, parentId, timestampMicros, dataset, level: 'info', resource: '', body, metadata: {} },
    };
  };
  const parent = add(50, '', 'family/game');
  const { traceId } = parent.entry;
  const family = [
    parent,
    add(70, traceId, 'family/game'),
    add(60, traceId, 'family/chat'),
    add(10, traceId, 'family/chat'), // from a clock that was slow
    add(65, 'another', 'family/game'),
    add(66, traceId, 'strangers/game'),
    add(67, "o'parent\\\n", 'family/game'),
  ];
  await insertEntries(store, family);
  const find = async (datasets: string[] | null, asked = traceId, limit = 100) => {
    const found = await queries.findChildren({ project: 'family', datasets, traceId: asked }, limit, signal);
    return found.entries.map(({ body }) => Number(body));
  };
  assert.deepEqual(await find(null), [10, 60, 70]);
  assert.deepEqual(await find(null, traceId, 2), [10, 60]);
  assert.deepEqual(await find(['game']), [70]);
  assert.deepEqual(await find(['game', 'chat']), [10, 60, 70]);
  assert.deepEqual(await find([]), []);
  assert.deepEqual(await find(null, "o'parent\\\n"), [67]);
  assert.deepEqual(await find(null, 'nobody'), []);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`); // builds the index
  assert.deepEqual(await find(null), [10, 60, 70]);
});
