/** Messages between the main thread and the thread that holds an SQLite connection. */

type ThreadRole =
  /** The only connection of this process that writes. */
  | 'writer'
  /** Reads, each query or batch by itself. */
  | 'reader'
  /** Reads from one view, taken when it opens and held until it closes. */
  | 'snapshot';

export type ThreadOptions = { file: string; role: ThreadRole; lockWaitMsMax: number };

export type SqlValue = null | number | bigint | string | Uint8Array;

export type Statement = { sql: string; parameters: readonly SqlValue[]; rowsMin?: number };

export type ThreadRequest =
  /** Opens an interactive transaction: its queries follow under the same number, then its end. */
  | { kind: 'begin'; transaction: number; timeLimitMs: number }
  | { kind: 'query'; id: number; transaction: number; statement: Statement }
  | { kind: 'end'; id: number; transaction: number; commit: boolean }
  /** A whole transaction in one message. */
  | { kind: 'batch'; id: number; statements: readonly Statement[] }
  /** A query outside of transactions; readers only. */
  | { kind: 'read'; id: number; statement: Statement }
  | { kind: 'close'; id: number };

/** `columns` is null for statements that answer no rows. */
export type StatementResult = {
  columns: readonly string[] | null;
  rows: readonly unknown[][];
  rowsChanged: number;
};

/** Errors lose their class between threads, so they travel in parts. */
export type ThreadFailure = {
  message: string;
  sqliteCode: number | null;
  /** The query of a batch that touched too few rows. */
  refusedIndex?: number;
  /** The transaction outlasted its time limit. */
  isExpired?: boolean;
};

export type ThreadReply =
  | { id: number; results: readonly StatementResult[] }
  | { id: number; failure: ThreadFailure }
  /** An interactive transaction was undone without having asked for it. */
  | { lostTransaction: number; failure: ThreadFailure };

/** The id under which a thread answers its own opening. */
export const openingId = 0;
