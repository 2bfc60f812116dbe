/** The SQLite database: one writer thread, several reader threads, and Kysely bound to them. */
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely';
import type { BatchQuery, Database } from '../database.ts';
import { DatabaseFailure } from '../failures.ts';
import { type ChosenLimits, databaseLimits } from '../limits.ts';
import { bindComposing, bindQueries, type DialectWords, readingOnly, refuseNul } from '../queries.ts';
import { ConnectionThread } from './connectionThread.ts';
import type { SqlValue, Statement, StatementResult } from './protocol.ts';

const readersMax = 2; // a slow listing leaves one thread for everything else

const words: DialectWords = {
  // Kysely uses the dialect only for its introspector, which needs no connection here.
  dialect: new SqliteDialect({ database: () => Promise.reject(new Error('Queries run on threads.')) }),
  compiler: new SqliteQueryCompiler(),
  adapter: new SqliteAdapter(),
};

export async function openSqliteDatabase<Schema>(
  { file }: { file: string },
  limits: ChosenLimits,
): Promise<Database<Schema>> {
  const threadOptions = { file, lockWaitMsMax: limits.lockWaitMsMax ?? databaseLimits.lockWaitMsMax };
  const writer = await ConnectionThread.open({ ...threadOptions, role: 'writer' });
  const readers = Array.from({ length: readersMax }, () =>
    ConnectionThread.prepare({ ...threadOptions, role: 'reader' }),
  );
  const reading = bindQueries<Schema>(words, provideReader(readers), [readingOnly]);
  const composing = bindComposing<Schema>(words);
  const timeLimitMs = limits.transactionMsMax ?? databaseLimits.transactionMsMax;
  return {
    dialect: 'sqlite',
    reading,
    transact: (work, given) => runTransaction(writer, work, given?.timeLimitMs ?? timeLimitMs),
    transactBatch: compose => runBatch(writer, compose(composing)),
    readTogether: async compose => {
      const results = await chooseReader(readers).runBatch(
        compose(reading).map(query => buildStatement(query.compile())),
      );
      return results.map(result => buildRows(result));
    },
    openSnapshot: async () => {
      const thread = await ConnectionThread.open({ ...threadOptions, role: 'snapshot' });
      return {
        queries: bindQueries(words, provideReader([thread])),
        [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
      };
    },
    requireChanges: async () => {}, // the file is local, so a refused change explains itself
    [Symbol.asyncDispose]: () => closeThreads(writer, readers),
  };
}

/** Closes the writer last: the last connection to close folds the write-ahead log into the file. */
async function closeThreads(writer: ConnectionThread, readers: readonly ConnectionThread[]): Promise<void> {
  writer.refuseMore();
  await Promise.all(readers.map(reader => reader[Symbol.asyncDispose]()));
  await writer[Symbol.asyncDispose]();
}

async function runTransaction<Schema, T>(
  writer: ConnectionThread,
  work: (queries: Kysely<Schema>) => Promise<T>,
  timeLimitMs: number,
): Promise<T> {
  refuseOverload(writer);
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined); // it may reject after the caller stopped waiting
  const transaction = writer.beginTransaction(timeLimitMs, lost.reject);
  const connection = buildConnection(statement => writer.runInTransaction(transaction, statement));
  let result: T;
  try {
    result = await Promise.race([
      work(bindQueries(words, { provideConnection: use => use(connection) })),
      lost.promise,
    ]);
  } catch (error) {
    await writer.endTransaction(transaction, false).catch(() => undefined); // the caller gets the first failure
    throw error;
  }
  // If SQLite rolls back during the commit, this rejects with the actual reason.
  await Promise.race([lost.promise, writer.endTransaction(transaction, true)]);
  return result;
}

async function runBatch(
  writer: ConnectionThread,
  batch: readonly BatchQuery[],
): Promise<QueryResult<unknown>[]> {
  refuseOverload(writer);
  const results = await writer.runBatch(
    batch.map(({ query, rowsMin }) => ({
      ...buildStatement(query.compile()),
      ...(rowsMin !== undefined && { rowsMin }),
    })),
  );
  return results.map(result => buildQueryResult(result));
}

function refuseOverload(writer: ConnectionThread): void {
  if (writer.unansweredCount < databaseLimits.waitingTransactionsMax) return;
  throw new DatabaseFailure(
    'overloaded',
    'Too many changes are waiting for the database. Try again shortly.',
    {
      retryAfterSeconds: 1,
    },
  );
}

function provideReader(readers: readonly ConnectionThread[]): ConnectionProvider {
  const connections = new Map(
    readers.map(reader => [reader, buildConnection(statement => reader.read(statement))] as const),
  );
  return {
    provideConnection: use => {
      const connection = connections.get(chooseReader(readers));
      if (connection === undefined) throw new Error('Every reader has its connection.');
      return use(connection);
    },
  };
}

function chooseReader(readers: readonly ConnectionThread[]): ConnectionThread {
  const [first] = readers;
  if (first === undefined) throw new Error('There is always a reader.');
  return readers.reduce(
    (best, reader) => (reader.unansweredCount < best.unansweredCount ? reader : best),
    first,
  );
}

function buildConnection(run: (statement: Statement) => Promise<StatementResult>): DatabaseConnection {
  return {
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      // The schema determines the caller's row type, as in every Kysely driver.
      return buildQueryResult(await run(buildStatement(query))) as QueryResult<R>;
    },
    streamQuery: () => {
      throw new Error('Rows are read in pages, never streamed.');
    },
  };
}

function buildStatement(query: CompiledQuery): Statement {
  refuseNul(query.parameters);
  // Kysely types parameters as unknown. This schema only has text, numbers and null.
  return { sql: query.sql, parameters: query.parameters as readonly SqlValue[] };
}

function buildQueryResult(result: StatementResult): QueryResult<unknown> {
  return { rows: buildRows(result), numAffectedRows: BigInt(result.rowsChanged) };
}

function buildRows({ columns, rows }: StatementResult): Record<string, unknown>[] {
  if (columns === null) return [];
  return rows.map(values => {
    const row: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) row[column] = values[index];
    return row;
  });
}
