/** PostgreSQL under the conformance suite: each database new on one throwaway server. */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { Adapter } from '../conformance.ts';
import type { DatabasePlace } from '../index.ts';

export function placeAt(url: string): DatabasePlace {
  return { kind: 'postgres', url, setting: 'LIBRARY_URL', applicationName: 'library' };
}

export function readUrl(place: DatabasePlace): string {
  assert.equal(place.kind, 'postgres');
  return place.kind === 'postgres' ? place.url : '';
}

/** Runs one statement from outside of the package. */
export async function executeOn(url: string, sql: string): Promise<void> {
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

let databasesCount = 0;

export function buildPostgresAdapter(server: { urlOf: (database: string) => string }): Adapter {
  const execute = (sql: string) => executeOn(server.urlOf('postgres'), sql);
  return {
    name: 'PostgreSQL',
    createEmpty: async () => {
      databasesCount += 1;
      const name = `library${databasesCount}`;
      await execute(`create database ${name}`);
      return {
        place: placeAt(server.urlOf(name)),
        // A process that was killed may not have been missed by the server yet.
        [Symbol.asyncDispose]: () => execute(`drop database ${name} with (force)`),
      };
    },
    checkIntegrity: place => executeOn(readUrl(place), checkIndexes),
  };
}
