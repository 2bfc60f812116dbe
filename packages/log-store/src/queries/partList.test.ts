/** Tests that a list of parts is reused only while it covers every visible entry. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { queryRows, runCommand } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { PartList } from './partList.ts';
import { createRunner, type Runner, runQuery } from './queryRunner.ts';

const signal = new AbortController().signal;

let store: TestStore;
let runner: Runner;
before(async () => {
  store = await startTestStore();
  const [access] = store.shards;
  runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
});
after(() => store[Symbol.asyncDispose]());

let entries = 0;

function makeEntry(): StoredEntry {
  const number = ++entries;
  const timestampMicros = Date.UTC(2026, 2, 1) * 1000 + number * 1_000;
  const traceId = composeTraceId(timestampMicros, `8${number.toString(16).padStart(15, '0')}`);
  const facts = { parentId: '', dataset: 'game', level: 'info', resource: 'test' } as const;
  return { project: 'one', entry: { traceId, timestampMicros, ...facts, metadata: {}, body: 'text' } };
}

const insert = (count: number) => insertEntries(store, Array.from({ length: count }, makeEntry));
const merge = () => runCommand(store.shards[0], `OPTIMIZE TABLE ${localTable} FINAL`);
const openList = (access = store.shards[0]) => new PartList(runner, access);

async function countListed(list: PartList): Promise<number> {
  return (await list.list(signal)).reduce((sum, part) => sum + part.entries, 0);
}

/** Counts the statements that the engine receives during the work. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const sql = "SELECT value FROM system.events WHERE event = 'Query'";
    const [[count] = []] = await queryRows(store.shards[0], { sql });
    return Number(count);
  };
  const before = await read();
  await work();
  return (await read()) - before - 1;
}

test('asks again only if another part has appeared', async () => {
  const list = openList();
  const changes = {
    'nothing stored yet': { change: async () => {}, statements: 1 },
    'an insert': { change: () => insert(3), statements: 1 },
    'no change': { change: async () => {}, statements: 0 },
    'another insert': { change: () => insert(2), statements: 1 },
    'a merge': { change: merge, statements: 1 },
    'no change after a merge': { change: async () => {}, statements: 0 },
    'a deletion': {
      change: () => runCommand(store.shards[0], `DELETE FROM ${localTable} WHERE dataset = 'none'`),
      statements: 1,
    },
    'no change after a deletion': { change: async () => {}, statements: 0 },
  };
  for (const [name, { change, statements }] of Object.entries(changes)) {
    await change();
    assert.equal(await countStatements(() => list.list(signal)), statements, name);
    assert.equal(await countListed(list), entries, name);
  }
});

test('asks again after a restart of the engine, which may give names again', async () => {
  let endpoint = store.shards[0].endpoint();
  const list = openList({ endpoint: () => endpoint, onUp: () => () => {} });
  await list.list(signal);
  assert.equal(await countStatements(() => list.list(signal)), 0);
  endpoint = endpoint && { ...endpoint };
  assert.equal(await countStatements(() => list.list(signal)), 1);
});

test('parts grow older in a list that is reused', async t => {
  const list = openList();
  const ages = async () => (await list.list(signal)).map(({ ageSeconds }) => ageSeconds);
  const young = await ages();
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + 100_000);
  for (const [index, age] of (await ages()).entries()) assert.ok(age >= (young[index] ?? 0) + 99);
});

test('covers every stored entry while others are inserted and merged', async () => {
  const list = openList();
  let isOver = false;
  const merging = (async () => {
    while (!isOver) await merge();
  })();
  let stored = entries;
  const looking = (async () => {
    while (!isOver) {
      const expected = stored;
      const listed = await countListed(list);
      assert.ok(listed >= expected, `${listed} instead of ${expected}`);
    }
  })();
  for (let round = 0; round < 60; round++) {
    await insert(1 + (round % 3));
    stored = entries;
    assert.ok((await countListed(list)) >= stored);
  }
  isOver = true;
  await Promise.all([merging, looking]);
  assert.equal(await countListed(list), entries);
});

test('queries read the filters of indexes while they are planned', async () => {
  const sql = "SELECT toString(getSetting('use_skip_indexes_on_data_read'))";
  for (const weight of ['light', 'search', 'heavy', 'catchUp'] as const)
    assert.deepEqual(await runQuery(runner, { weight, signal }, { sql }), [['false']]);
});
