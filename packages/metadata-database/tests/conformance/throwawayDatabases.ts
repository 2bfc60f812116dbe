/** Databases of a PostgreSQL server that a suite takes and drops again, looked at from outside of what is tried. */
import pg from 'pg';

export type ThrowawayDatabase = AsyncDisposable & { name: string; url: string };

let databasesCount = 0;

/** Empty, or a copy of another one to which nobody is connected. */
export async function createDatabase(
  server: { urlOf(database: string): string },
  copied = 'template1',
): Promise<ThrowawayDatabase> {
  const execute = (sql: string) => executeOn(server.urlOf('postgres'), sql);
  databasesCount += 1;
  const name = `throwaway${databasesCount}`;
  await execute(`create database ${name} template ${copied}`);
  return {
    name,
    url: server.urlOf(name),
    // A process that was killed may not have been missed by the server yet.
    [Symbol.asyncDispose]: () => execute(`drop database ${name} with (force)`),
  };
}

/** Rejects where an index does not fit its table. */
export function checkIndexes(url: string): Promise<void> {
  return executeOn(
    url,
    `create extension if not exists amcheck;
     select bt_index_check(indexrelid, true) from pg_index
       join pg_class on pg_class.oid = indexrelid
       where relnamespace = current_schema()::regnamespace`,
  );
}

export async function executeOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
