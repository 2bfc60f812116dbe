/** Tests that nobody can detach, drop or replace the table of entries while its engine runs: a table attached again reuses block numbers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeDirectory } from '../../../tests/directory.ts';
import { silentLog } from '../../../tests/rows.ts';
import { beginEngine, keptTable } from '../../startingEngine.ts';
import { database, localTable } from '../schema/schema.ts';
import { createSchema } from '../schema/tables.ts';
import { EngineError } from './requests.ts';
import { queryRows, runCommand } from './statements.ts';
import type { SupervisedEngine } from './supervision.ts';

await using opened = new AsyncDisposableStack();
const directory = opened.use(await makeDirectory());
const starting = beginEngine({ kind: 'embedded', directory: directory.path }, { log: silentLog });
assert.ok(starting !== null);
opened.use(starting);
const running = opened.move();
after(() => running.disposeAsync());
const other = `${database}.other`;
let engine: SupervisedEngine;

before(async () => {
  engine = await starting.started;
  await createSchema({ access: engine, clusterName: null, durability: 'checkpointed' });
  await runCommand(engine, `CREATE TABLE ${other} AS ${localTable}`);
});

test('the kept table is the one that stores entries', () => {
  assert.equal(`${keptTable.database}.${keptTable.table}`, localTable);
});

const refused = [
  `DETACH TABLE ${localTable}`,
  `DETACH TABLE ${localTable} PERMANENTLY`,
  `DROP TABLE ${localTable} SYNC`,
  `RENAME TABLE ${localTable} TO ${database}.third`,
  `EXCHANGE TABLES ${localTable} AND ${other}`,
  `EXCHANGE TABLES ${other} AND ${localTable}`,
  `CREATE OR REPLACE TABLE ${localTable} (a Int8) ENGINE = MergeTree ORDER BY a`,
  `DETACH DATABASE ${database}`,
  `DROP DATABASE ${database}`,
  `RENAME DATABASE ${database} TO third`,
];

for (const sql of refused)
  test(`${sql} is refused`, async () => {
    const isRefusal = (error: unknown) => error instanceof EngineError && /ACCESS_DENIED/.test(error.message);
    await assert.rejects(runCommand(engine, sql), isRefusal);
    const asked = `SELECT engine FROM system.tables WHERE concat(database, '.', name) = '${localTable}'`;
    assert.deepEqual(await queryRows(engine, { sql: asked }), [['MergeTree']]);
  });

const allowed = [
  `ALTER TABLE ${localTable} MODIFY SETTING old_parts_lifetime = 480`,
  `ALTER TABLE ${localTable} DETACH PARTITION ALL`,
  `ALTER TABLE ${localTable} DROP PARTITION ALL`,
  `TRUNCATE TABLE ${localTable}`,
  `DROP TABLE ${other} SYNC`,
];

for (const sql of allowed) test(`${sql} is allowed`, () => runCommand(engine, sql));
