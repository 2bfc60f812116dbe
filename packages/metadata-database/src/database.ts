/** The interface of a database: reads, transactions, batches and snapshots, the same on both dialects. */
import type { Compilable, Kysely, QueryResult } from 'kysely';

export type BatchQuery = {
  query: Compilable<unknown>;
  /** The batch is refused if this query touches fewer rows. */
  rowsMin?: number;
};

/** A view of all data at one instant. It lasts until it is disposed of. */
export type Snapshot<Schema> = AsyncDisposable & { readonly queries: Kysely<Schema> };

export type TransactionOptions = {
  timeLimitMs?: number;
  /** How many times to try the work if it conflicts with other transactions. */
  attemptsMax?: number;
};

export type Dialect = 'sqlite' | 'postgres';

export interface Database<Schema> extends AsyncDisposable {
  readonly dialect: Dialect;
  /** Runs each query separately. It sees every write acknowledged before it, and refuses to write. */
  readonly reading: Kysely<Schema>;
  /**
   * Commits when the work resolves and no query failed. Resolves once the commit survives a power cut.
   * Rolls back work that exceeds the time limit. PostgreSQL may run the work more than once.
   */
  transact<T>(work: (queries: Kysely<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs queries that don't depend on each other's answers in one transaction. Rejects with `BatchRefused` if rows are missing. */
  transactBatch(compose: (queries: Kysely<Schema>) => readonly BatchQuery[]): Promise<QueryResult<unknown>[]>;
  /** Reads the rows of several queries from one consistent view. */
  readTogether(compose: (queries: Kysely<Schema>) => readonly Compilable<unknown>[]): Promise<unknown[][]>;
  openSnapshot(): Promise<Snapshot<Schema>>;
  /** Rejects if the server answers but accepts no changes now, or has just refused one because it is out of space. */
  requireChanges(): Promise<void>;
}
