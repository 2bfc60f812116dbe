/** Opens an SQLite connection and keeps its prepared statements. Runs in a thread. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Statement, StatementResult, ThreadFailure, ThreadOptions } from './protocol.ts';

const statementsMax = 200; // several times the store's distinct queries
const walBytesKept = 64 * 1024 * 1024; // a long reader can grow the log; space above this returns to the disk
const cacheKibibytes = 16 * 1024; // holds the hot pages of an index over a million files
const openRetryMs = 20;

const busy = 5; // SQLITE_BUSY, sqlite3.h

type Prepared = { statement: StatementSync; columns: readonly string[] | null };

export type Connection = {
  readonly isInTransaction: () => boolean;
  /** Runs statements that return no rows and take no values. */
  execute(sql: string): void;
  run(statement: Statement): StatementResult;
  close(): void;
};

export function openConnection(options: ThreadOptions): Connection {
  if (options.role === 'writer') createPrivately(options.file);
  const database = new DatabaseSync(options.file, { timeout: options.lockWaitMsMax });
  try {
    enterWalMode(database, options.lockWaitMsMax);
    database.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA journal_size_limit = ${walBytesKept};
      PRAGMA cache_size = -${cacheKibibytes};
      PRAGMA temp_store = MEMORY;`);
    if (options.role !== 'writer') database.exec('PRAGMA query_only = ON');
    if (options.role === 'snapshot') database.exec('BEGIN; SELECT count(*) FROM sqlite_schema;');
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, Prepared>();
  return {
    isInTransaction: () => database.isTransaction,
    execute: sql => database.exec(sql),
    run: statement => runPrepared(findPrepared(database, statements, statement.sql), statement),
    close: () => database.close(),
  };
}

/** Creates the file readable by its owner only, because it holds hashes of passwords and tokens. The log inherits that. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch {
    // SQLite hits the same obstacle next and explains it better.
  }
}

/** Enters WAL mode. This needs exclusive use of the file but, unlike everything else, SQLite doesn't wait for it. */
function enterWalMode(database: DatabaseSync, waitMsMax: number): void {
  const until = performance.now() + waitMsMax;
  for (;;) {
    try {
      const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
      if (mode === 'wal') return;
      throw new Error(`The disk offers no write-ahead log: journal mode ${String(mode)}.`);
    } catch (error) {
      if (readSqliteCode(error) !== busy || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, openRetryMs);
    }
  }
}

function findPrepared(database: DatabaseSync, statements: Map<string, Prepared>, sql: string): Prepared {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = database.prepare(sql);
  const columns = nameColumns(statement);
  const prepared: Prepared = { statement, columns: columns.length === 0 ? null : columns };
  if (prepared.columns !== null) statement.setReturnArrays(true);
  if (statements.size >= statementsMax) {
    const oldest = statements.keys().next();
    if (!oldest.done) statements.delete(oldest.value);
  }
  statements.set(sql, prepared);
  return prepared;
}

function runPrepared(prepared: Prepared, { parameters }: Statement): StatementResult {
  if (prepared.columns === null) {
    const { changes } = prepared.statement.run(...parameters);
    return { columns: null, rows: [], rowsChanged: Number(changes) };
  }
  // `setReturnArrays` above makes rows arrays; the declarations don't know that.
  const rows = prepared.statement.all(...parameters) as unknown as unknown[][];
  // A migration may have added columns since the statement was prepared. The statement only notices when it runs.
  const [first] = rows;
  if (first !== undefined && first.length !== prepared.columns.length) {
    prepared.columns = nameColumns(prepared.statement);
  }
  return { columns: prepared.columns, rows, rowsChanged: rows.length };
}

function nameColumns(statement: StatementSync): string[] {
  return statement.columns().map(column => column.name);
}

export function describeFailure(error: unknown): ThreadFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { message, sqliteCode: readSqliteCode(error) };
}

function readSqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}
