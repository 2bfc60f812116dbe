/** PostgreSQL under the conformance suite: each database new on one throwaway server. */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { PostgresEngine } from '../../../../../scripts/engines/postgres.ts';
import type { Adapter } from '../conformance.ts';
import type { MetadataConfig } from '../store.ts';

function readUrl(config: MetadataConfig): string {
  assert.equal(config.kind, 'postgres');
  return config.kind === 'postgres' ? config.url : '';
}

let databasesCount = 0;

/** Runs one statement from outside of the store. */
async function executeOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const checkIndexes = `
  create extension if not exists amcheck;
  select bt_index_check(indexrelid, true) from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace`;

export function buildPostgresAdapter(server: PostgresEngine): Adapter {
  const execute = (sql: string) => executeOn(server.urlOf('postgres'), sql);
  return {
    name: 'PostgreSQL',
    createEmpty: async () => {
      databasesCount += 1;
      const name = `metadata${databasesCount}`;
      await execute(`create database ${name}`);
      return {
        config: { kind: 'postgres', url: server.urlOf(name) },
        // A process that was killed may not have been missed by the server yet.
        [Symbol.asyncDispose]: () => execute(`drop database ${name} with (force)`),
      };
    },
    checkIntegrity: config => executeOn(readUrl(config), checkIndexes),
  };
}
