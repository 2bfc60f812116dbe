/** Creates and drops databases on a PostgreSQL server, through a connection outside of the tests. */
import pg from 'pg';

export type ThrowawayDatabase = AsyncDisposable & { name: string; url: string };

let databasesCount = 0;

/** Creates a database, empty or as a copy of another that has no connections. */
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
    // The server may not have noticed yet that a process was killed.
    [Symbol.asyncDispose]: () => execute(`drop database ${name} with (force)`),
  };
}

/** Rejects if an index doesn't match its table. */
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
