/** Messages between the main thread and the thread that holds an SQLite connection. */

type ThreadRole =
  /** This process's only writing connection. */
  | 'writer'
  /** Reads each query or batch separately. */
  | 'reader'
  /** Reads from one view, from its opening until it closes. */
  | 'snapshot';

export type ThreadOptions = { file: string; role: ThreadRole; lockWaitMsMax: number };

export type SqlValue = null | number | bigint | string | Uint8Array;

export type Statement = { sql: string; parameters: readonly SqlValue[]; rowsMin?: number };

export type ThreadRequest =
  /** Opens an interactive transaction. Its queries follow under the same number, then its end. */
  | { kind: 'begin'; transaction: number; timeLimitMs: number }
  | { kind: 'query'; id: number; transaction: number; statement: Statement }
  | { kind: 'end'; id: number; transaction: number; commit: boolean }
  /** A whole transaction in one message. */
  | { kind: 'batch'; id: number; statements: readonly Statement[] }
  /** A query outside of transactions, for readers only. */
  | { kind: 'read'; id: number; statement: Statement }
  | { kind: 'close'; id: number };

/** `columns` is null for statements that return no rows. */
export type StatementResult = {
  columns: readonly string[] | null;
  rows: readonly unknown[][];
  rowsChanged: number;
};

/** Errors lose their class between threads, so their fields travel separately. */
export type ThreadFailure = {
  message: string;
  sqliteCode: number | null;
  /** The index of the batch query that touched too few rows. */
  refusedIndex?: number;
  /** True if the transaction exceeded its time limit. */
  isExpired?: boolean;
};

export type ThreadReply =
  | { id: number; results: readonly StatementResult[] }
  | { id: number; failure: ThreadFailure }
  /** SQLite rolled back an interactive transaction without being asked. */
  | { lostTransaction: number; failure: ThreadFailure };

/** The id of a thread's reply about its own opening. */
export const openingId = 0;
