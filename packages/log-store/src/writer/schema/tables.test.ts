/** Tables of earlier versions get what they lack. The service refuses a table that it did not make, before it accepts anything. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { runOnShards, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { createFirstTable } from '../../../tests/firstVersion.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { localTable } from './schema.ts';
import { createSchema, markWhole, readTableState } from './tables.ts';

let store: TestStore;

before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());
afterEach(async () => {
  await runOnShards(store, `DROP TABLE IF EXISTS ${localTable} SYNC`);
  await complete();
});

function complete(): Promise<void> {
  return createSchema({ access: store.shards[0], clusterName: null });
}

/** Reports the end of the completion as the backfill does. */
async function endCompleting(): Promise<void> {
  const { signal } = new AbortController();
  assert.deepEqual(await readTableState(store.shards[0], signal), { isWhole: false });
  await markWhole(store.shards[0], signal);
  assert.deepEqual(await readTableState(store.shards[0], signal), { isWhole: true });
}

/** Returns the definition of a table in the engine's own words. */
async function describe(): Promise<unknown> {
  const of = "WHERE database = 'tapedeck' AND table = 'logs'";
  const columns = 'name, type, default_kind, default_expression, compression_codec';
  const statements = [
    // Tables of earlier versions have computed columns, which nothing needs.
    `SELECT ${columns} FROM system.columns ${of} AND default_kind != 'ALIAS' ORDER BY position`,
    `SELECT name, type_full, expr, granularity FROM system.data_skipping_indices ${of} ORDER BY name`,
    `SELECT name, type, query, settings FROM system.projections ${of} ORDER BY name`,
    // Leaves out the limit of granules, which is set only when the table is created.
    "SELECT comment, arrayFilter(each -> NOT each LIKE 'index_granularity_bytes%', arraySort(splitByString(', ', engine_full))) FROM system.tables WHERE database = 'tapedeck' AND name = 'logs'",
  ];
  return Promise.all(statements.map(sql => queryRows(store.shards[0], { sql })));
}

test('leaves a complete table unchanged, however often it is checked', async () => {
  const before = await describe();
  await complete();
  await complete();
  assert.deepEqual(await describe(), before);
});

test('upgrades a table of the first version to the current one', async () => {
  await runOnShards(store, `DROP TABLE ${localTable} SYNC`);
  await complete();
  const fresh = await describe();
  await runOnShards(store, `DROP TABLE ${localTable} SYNC`);
  await createFirstTable(store.shards[0], 2048);
  await complete();
  await endCompleting();
  assert.deepEqual(await describe(), fresh);
});

test('adds missing indexes and settings to a table', async () => {
  await runOnShards(store, `DROP TABLE ${localTable} SYNC`);
  await complete();
  const whole = await describe();
  await runOnShards(store, `ALTER TABLE ${localTable} DROP INDEX parents, DROP INDEX arrivals`);
  await runOnShards(store, `ALTER TABLE ${localTable} MODIFY SETTING old_parts_lifetime = 480`);
  await complete();
  await endCompleting();
  assert.deepEqual(await describe(), whole);
});

test('leaves a table of a later version unchanged', async () => {
  await runOnShards(store, `ALTER TABLE ${localTable} DROP INDEX parents`);
  await runOnShards(store, `ALTER TABLE ${localTable} MODIFY COMMENT 'Log entries of Tapedeck, version 99'`);
  const later = await describe();
  await complete();
  assert.deepEqual(await describe(), later);
});

test('refuses a read-only table of the first version, with the statement to run', async () => {
  await runOnShards(store, `DROP TABLE ${localTable} SYNC`);
  const [access] = store.shards;
  await createFirstTable(access);
  const first = await describe();
  const endpoint = { ...access.endpoint()!, url: `${access.endpoint()!.url}/?readonly=2` };
  const readOnly = { ...access, endpoint: () => endpoint };
  const refused = await createSchema({ access: readOnly, clusterName: null }).catch(error => error);
  assert.equal(refused.code, 'unavailable');
  const [, statements = ''] =
    /the service may not alter it\. Run as a user who may: (.*)$/s.exec(refused.message) ?? [];
  assert.deepEqual(await describe(), first);
  for (const statement of statements.split('; ')) await runCommand(access, statement);
  await createSchema({ access: readOnly, clusterName: null }); // nothing is missing now
});

const alterations: [string, string[]][] = [
  ['level', ['DROP PROJECTION fieldCounts', 'DROP PROJECTION patterns', 'DROP COLUMN level']],
  ['arrivedAt', ['DROP INDEX arrivals', 'DROP COLUMN arrivedAt']],
];

for (const [column, steps] of alterations) {
  test(`refuses a table without the column ${column}`, async () => {
    for (const step of steps) await runOnShards(store, `ALTER TABLE ${localTable} ${step}`);
    await assert.rejects(complete(), {
      code: 'unavailable',
      message: new RegExp(`^The table tapedeck\\.logs lacks the columns ${column}: `),
    });
  });
}

test('asks to try again while a server shows the table without its columns', async () => {
  const before = await describe();
  const [access] = store.shards;
  const hidden = encodeURIComponent("{'system.columns': '0'}");
  const endpoint = {
    ...access.endpoint()!,
    url: `${access.endpoint()!.url}/?additional_table_filters=${hidden}`,
  };
  const starting = { ...access, endpoint: () => endpoint };
  await assert.rejects(createSchema({ access: starting, clusterName: null }), { code: 'engine_unavailable' });
  assert.deepEqual(await describe(), before);
});
