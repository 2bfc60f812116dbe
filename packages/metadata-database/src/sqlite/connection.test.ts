/** Tests a connection while other connections change its tables. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openConnection } from './connection.ts';

test('reads a column that a migration added under its name', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-test-'));
  const file = path.join(directory, 'tables.db');
  using other = new DatabaseSync(file);
  other.exec('create table things (a integer); insert into things values (1)');
  const connection = openConnection({ file, lockWaitMsMax: 100, role: 'reader' });
  connection.run({ sql: 'select count(*) from things', parameters: [] });
  other.exec("alter table things add column b text not null default 'x'");
  const { columns, rows } = connection.run({ sql: 'select * from things', parameters: [] });
  assert.deepEqual([columns, rows], [['a', 'b'], [[1, 'x']]]);
  connection.close();
  await rm(directory, { recursive: true });
});
