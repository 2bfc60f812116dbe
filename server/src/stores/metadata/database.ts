/** What each dialect gives the records: reading, transactions, batches and snapshots, with the same promises. */
import {
  type Compilable,
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type KyselyPlugin,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import { ServiceError } from '../../vocabulary.ts';
import type { Schema } from './schema.ts';

export type Queries = Kysely<Schema>;

export type BatchQuery = {
  query: Compilable<unknown>;
  /** Fewer rows touched than this refuse the whole batch. */
  rowsMin?: number;
};

/** A view of everything at one instant, held until it is disposed of. */
export type Snapshot = AsyncDisposable & { readonly queries: Queries };

export type TransactionOptions = {
  timeLimitMs?: number;
  /** How often the work may be run when other transactions get in its way. */
  attemptsMax?: number;
};

export interface Database extends AsyncDisposable {
  readonly dialect: 'sqlite' | 'postgres';
  /** Each query by itself; sees every write acknowledged before it. Refuses to write. */
  readonly reading: Queries;
  /**
   * One transaction. Commits when the work resolves and no query failed, and resolves once that survives a power cut.
   * Work that outlasts the time limit is undone. PostgreSQL may ask for the work to be run again.
   */
  transact<T>(work: (queries: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Queries that need no answer in between, as one transaction; rejects with `BatchRefused` where rows are missing. */
  transactBatch(compose: (queries: Queries) => readonly BatchQuery[]): Promise<QueryResult<unknown>[]>;
  /** Rows of several queries from one consistent view. */
  readTogether(compose: (queries: Queries) => readonly Compilable<unknown>[]): Promise<unknown[][]>;
  openSnapshot(): Promise<Snapshot>;
}

/** The limits of the connections, whatever the dialect. */
export const databaseLimits = {
  transactionMsMax: 5_000, // far beyond any honest change; others wait for it
  lockWaitMsMax: 10_000, // twice the longest transaction of another process
  importMsMax: 3_600_000, // an empty database is filled before it serves anyone
  waitingTransactionsMax: 10_000, // a second's worth and more; beyond it the answer is `overloaded`
} as const;

/** A row that must be unique is there already, or one that is referred to is not. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'reference';

  constructor(kind: 'unique' | 'reference', cause: unknown) {
    super(`A ${kind} constraint was violated.`, { cause });
    this.name = 'ConstraintViolation';
    this.kind = kind;
  }
}

/** A query of a batch touched fewer rows than it had to; nothing of the batch was kept. */
export class BatchRefused extends Error {
  readonly index: number;

  constructor(index: number) {
    super(`Query ${index} of the batch touched too few rows.`);
    this.name = 'BatchRefused';
    this.index = index;
  }
}

/** Transactions are the business of `Database.transact`, which knows time limits and group commit. */
const noDriver: Driver = {
  init: async () => undefined,
  acquireConnection: () => refuseDirectTransaction(),
  beginTransaction: () => refuseDirectTransaction(),
  commitTransaction: () => refuseDirectTransaction(),
  rollbackTransaction: () => refuseDirectTransaction(),
  releaseConnection: () => refuseDirectTransaction(),
  destroy: async () => undefined,
};

function refuseDirectTransaction(): Promise<never> {
  return Promise.reject(new Error('Transactions are opened by Database.transact alone.'));
}

export type DialectWords = { dialect: Dialect; compiler: QueryCompiler; adapter: DialectAdapter };

/** Kysely's builders on the given connections. */
export function bindQueries(
  words: DialectWords,
  provider: ConnectionProvider,
  plugins: KyselyPlugin[] = [],
): Queries {
  const executor = new DefaultQueryExecutor(words.compiler, words.adapter, provider, plugins);
  return new Kysely<Schema>({
    config: { dialect: words.dialect },
    driver: noDriver,
    dialect: words.dialect,
    executor,
  });
}

/** Keeps writes out of `Database.reading`: they would be acknowledged without a transaction. */
export const readingOnly: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === 'SelectQueryNode') return node;
    throw new Error('Reading refuses to write: use a transaction.');
  },
  transformResult: async ({ result }) => result,
};

/** PostgreSQL cannot hold NUL in text, so neither dialect takes it. */
export function refuseNul(parameters: CompiledQuery['parameters']): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && parameter.includes('\0')) {
      throw new ServiceError('invalid_field', 'Text must not hold the NUL character.');
    }
  }
}
