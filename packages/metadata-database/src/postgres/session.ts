/** One PostgreSQL connection while a single owner uses it: runs queries and returns to the pool. */
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { refuseNul } from '../queries.ts';
import { isStalePlan, ReadOnlyServer, translateFailure } from './failures.ts';
import { type Connections, checkOut } from './pool.ts';

export type Session = {
  /** Statements that start each transaction. Empty if the session has its settings already. */
  readonly transactionSettings: string;
  readonly connection: DatabaseConnection;
  /** The first failed query. PostgreSQL refuses everything after it until the transaction ends. */
  readonly failure: () => Error | null;
  run(sql: string): Promise<void>;
  /** Gives the connection back. The session refuses later queries. */
  release(options?: { broken?: boolean }): void;
};

export async function openSession({ pool, names, transactionSettings }: Connections): Promise<Session> {
  const client = await checkOut(pool);
  let failure: Error | null = null;
  let isReleased = false;
  let isReadingOnly = false;
  const query = async (sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> => {
    if (isReleased) throw new Error('The transaction is over.');
    try {
      const name = parameters.length === 0 ? undefined : names?.nameOf(sql);
      return await client.query({ text: sql, values: [...parameters], ...(name !== undefined && { name }) });
    } catch (error) {
      if (isStalePlan(error)) names?.renew();
      const translated = translateFailure(error);
      failure ??= translated;
      isReadingOnly ||= translated instanceof ReadOnlyServer;
      throw translated;
    }
  };
  return {
    transactionSettings,
    connection: buildConnection(query),
    failure: () => failure,
    run: async sql => {
      await query(sql, []);
    },
    release: ({ broken = false } = {}) => {
      if (isReleased) return;
      isReleased = true;
      client.release(broken || isReadingOnly);
    },
  };
}

function buildConnection(
  query: (sql: string, parameters: readonly unknown[]) => Promise<pg.QueryResult>,
): DatabaseConnection {
  return {
    executeQuery: async <R>(compiled: CompiledQuery): Promise<QueryResult<R>> => {
      refuseNul(compiled.parameters);
      const result = await query(compiled.sql, compiled.parameters);
      // The schema determines the caller's row type, as in every Kysely driver.
      return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
    },
    streamQuery: () => {
      throw new Error('Rows are read in pages, never streamed.');
    },
  };
}
