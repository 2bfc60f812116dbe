/** Tests unmerged parts, which have no indexes: a search reads them once, and a merge meanwhile neither hides nor repeats entries. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { Binder, queryRows, runCommand } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditionsApart } from './conditions.ts';
import { matchAll } from './entries.ts';
import { createLogQueries } from './queries.ts';
import { createRunner, runQuery } from './queryRunner.ts';
import { ledSettings } from './querySettings.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const entriesEach = 400;
const rounds = 6;

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());

/** Every second one has the word; one in a hundred has it inside an identifier. */
function makeEntries(project: string, round: number): StoredEntry[] {
  return Array.from({ length: entriesEach }, (_, index) => {
    const number = round * entriesEach + index;
    const timestampMicros = startMicros + number * 1_000;
    const word = index % 100 === 1 ? 'ab7harbour' : index % 2 === 0 ? 'a harbour' : 'a lake';
    const traceId = composeTraceId(timestampMicros, `8${number.toString(16).padStart(15, '0')}`);
    const facts = { parentId: '', dataset: 'game', level: 'info', resource: 'test', metadata: {} } as const;
    return { project, entry: { traceId, timestampMicros, ...facts, body: `Entry ${number} of ${word}` } };
  });
}

const matchesEach = entriesEach / 2 + entriesEach / 100;
const harbours = (project: string) => ({
  ...matchAll({ project, datasets: null }),
  condition: asks('harbour'),
});

test('reads unmerged entries once, whatever the indexes hold of others', async () => {
  const [access] = store.shards;
  await runCommand(access, `SYSTEM STOP MERGES ${localTable}`);
  await insertEntries(store, makeEntries('still', 0));
  const binder = new Binder();
  const statements = formatConditionsApart({ table: localTable }, harbours('still'), binder).map(
    clause => `SELECT count() FROM ${localTable} ${clause}`,
  );
  const sql = `EXPLAIN ESTIMATE ${statements.join(' UNION ALL ')}`;
  const rows = await queryRows(access, { sql, parameters: binder.parameters });
  assert.equal(
    rows.reduce((sum, row) => sum + Number(row[3]), 0),
    entriesEach,
  );
  await runCommand(access, `SYSTEM START MERGES ${localTable}`);
});

test('finds a text once in each entry while parts are merged', async () => {
  const [access] = store.shards;
  const queries = createLogQueries({
    shards: store.shards,
    clusterName: null,
    memoryBytesMax: 400_000_000,
    flush: async () => {},
    waitForWholeBatches: async () => {},
    countInserted: null,
  });
  const signal = new AbortController().signal;
  for (let round = 0; round < rounds; round++) {
    await insertEntries(store, makeEntries('moving', round));
    const merging = runCommand(access, `OPTIMIZE TABLE ${localTable} FINAL`);
    const counts: number[] = [];
    let isMerged = false;
    void merging.finally(() => {
      isMerged = true;
    });
    do counts.push(await queries.countEntries(harbours('moving'), signal));
    while (!isMerged);
    await merging;
    assert.deepEqual([...new Set(counts)], [(round + 1) * matchesEach]);
  }
});

test('the statements of a query see the same parts even if these are merged meanwhile', async () => {
  const [access] = store.shards;
  const runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
  const signal = new AbortController().signal;
  for (const [name, settings] of Object.entries({ analyzer: {}, before: ledSettings })) {
    await insertEntries(store, makeEntries(name, 0));
    await insertEntries(store, makeEntries(name, 1));
    const binder = new Binder();
    const counts = formatConditionsApart({ table: localTable }, harbours(name), binder).map(
      clause => `SELECT count() FROM ${localTable} ${clause}`,
    );
    const sql = counts.join(' UNION ALL ');
    const statement = {
      sql,
      parameters: binder.parameters,
      settings: { ...settings, merge_tree_storage_snapshot_sleep_ms: 500 },
    };
    const asking = runQuery(runner, { weight: 'heavy', signal }, statement);
    const isAsked = `SELECT count() FROM system.processes WHERE query LIKE '%UNION%' AND query NOT LIKE '%processes%'`;
    for (let asked = 0; asked === 0; ) [[asked]] = (await queryRows(access, { sql: isAsked })) as [[number]];
    await runCommand(access, `OPTIMIZE TABLE ${localTable} FINAL`);
    const found = (await asking) as [number][];
    assert.equal(
      found.reduce((sum, [count]) => sum + count, 0),
      2 * matchesEach,
      name,
    );
  }
});
