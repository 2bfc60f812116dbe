/** The interface of a database: reads, transactions, batches and snapshots, the same on both dialects. */
import type { Compilable, Kysely, QueryResult } from 'kysely';

export type BatchQuery = {
  query: Compilable<unknown>;
  /** Fewer rows touched than this refuse the whole batch. */
  rowsMin?: number;
};

/** A view of everything at one instant, held until it is disposed of. */
export type Snapshot<Schema> = AsyncDisposable & { readonly queries: Kysely<Schema> };

export type TransactionOptions = {
  timeLimitMs?: number;
  /** How often the work may be run when other transactions get in its way. */
  attemptsMax?: number;
};

export type Dialect = 'sqlite' | 'postgres';

export interface Database<Schema> extends AsyncDisposable {
  readonly dialect: Dialect;
  /** Each query by itself; sees every write acknowledged before it. Refuses to write. */
  readonly reading: Kysely<Schema>;
  /**
   * One transaction. Commits when the work resolves and no query failed, and resolves once that survives a power cut.
   * Work that outlasts the time limit is undone. PostgreSQL may ask for the work to be run again.
   */
  transact<T>(work: (queries: Kysely<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Queries that need no answer in between, as one transaction; rejects with `BatchRefused` where rows are missing. */
  transactBatch(compose: (queries: Kysely<Schema>) => readonly BatchQuery[]): Promise<QueryResult<unknown>[]>;
  /** Rows of several queries from one consistent view. */
  readTogether(compose: (queries: Kysely<Schema>) => readonly Compilable<unknown>[]): Promise<unknown[][]>;
  openSnapshot(): Promise<Snapshot<Schema>>;
  /** Rejects where the server answers, but takes no changes at present, or has just refused one for want of room. */
  requireChanges(): Promise<void>;
}
