/** A failed restore into PostgreSQL and ClickHouse says which of them to empty, and the next try succeeds. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { localTable, runCommand } from '@tapedeck/log-store/testing';
import pg from 'pg';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { startShards } from '../logs/shards.ts';
import { makeBackup } from '../support/backups.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';

const emptying = 'drop schema public cascade; create schema public';

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}

test('names external stores that a failed restore has filled, and only then', async () => {
  await using backup = await makeBackup();
  await using postgres = await startPostgres();
  await using shards = await startShards(1);
  await using place = await makeDirectory();
  const environment = {
    ...shards.environment,
    TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
    TAPEDECK_DATA_DIR: place.path,
  };
  const restore = async () => (await runTapedeck(['restore', backup.folder], environment)).complained;
  const emptyLogs = () => runCommand(shards.engines[0]!, `TRUNCATE TABLE ${localTable}`);
  const both = 'TAPEDECK_DATABASE_URL and TAPEDECK_CLICKHOUSE_URL';

  await backup.damage();
  assert.match(
    await restore(),
    new RegExp(`damaged: .*\\. Before you try again, empty what ${both} names: this attempt wrote to it\\.`),
  );
  assert.deepEqual(await readdir(place.path), []);
  assert.equal(await restore(), 'The log store holds entries; restore into an empty one.\n');
  await emptyLogs();
  assert.equal(await restore(), 'The database is not empty: restore into an empty one.\n');
  await query(environment.TAPEDECK_DATABASE_URL, emptying);
  await backup.mend();
  const theirs = path.join(place.path, 'theirs');
  const written = once(watch(place.path, { persistent: false }), 'change').then(() => writeFile(theirs, ''));
  assert.match(await restore(), new RegExp(`holds theirs; .* ${both} names`));
  await written;
  await rm(theirs);
  await emptyLogs();
  await query(environment.TAPEDECK_DATABASE_URL, emptying);
  assert.equal(await restore(), '');
  const verified = JSON.parse(await tapedeck(['verify', '--json'], environment));
  assert.deepEqual([verified.files, verified.findings, verified.logs.entries], [1, [], 1]);
});
