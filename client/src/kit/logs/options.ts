/** Options for sending log entries, and the sender's interface. */
import type { TapedeckError } from '../../errors.ts';
import type { DropReason } from './drops.ts';
import type { LogEntry } from './entryText.ts';

export type LogOptions = {
  /** For entries that name none. */
  dataset?: string;
  /** The resource of entries that name none. */
  resource?: string;
  batchEntriesMax?: number;
  batchBytesMax?: number;
  /** How long an entry waits for others. */
  batchDelayMs?: number;
  queueEntriesMax?: number;
  queueBytesMax?: number;
  /** A folder (Node.js, Bun and Deno): entries survive the process there. Only `spoolBytesMax` bounds them then. */
  spool?: string;
  spoolBytesMax?: number;
  /** How long the end of the program may wait for the last entries. */
  exitTimeoutMs?: number;
  onDrop?: (drop: { count: number; reason: DropReason }) => void;
  onError?: (error: TapedeckError) => void;
};

export type LogStats = { queued: number; queuedBytes: number; stored: number; dropped: number };

export interface Logs {
  /**
   * Takes an entry and the time, and never throws. Returns false if the entry was dropped, or if the queue is now full:
   * await `ready()` before the next one. The callback is called once, when the entry is stored or dropped.
   */
  write(entry: LogEntry, callback?: (error?: Error) => void): boolean;
  /** Resolves when there is room for another entry. */
  ready(): Promise<void>;
  /** Sends everything that was written before the call. Resolves with true when all of it was stored in time. */
  flush(options?: { timeoutMs?: number }): Promise<boolean>;
  stats(): LogStats;
  /** Sends what waits, then takes no more entries. Resolves with true when all of it was stored in time. */
  close(): Promise<boolean>;
}

const logDefaults = {
  batchEntriesMax: 1000, // CONTRACT.md, 12.1, as the others
  batchBytesMax: 1024 * 1024,
  batchDelayMs: 1000,
  queueEntriesMax: 100_000,
  queueBytesMax: 32 * 1024 * 1024,
  spoolBytesMax: 256 * 1024 * 1024,
  exitTimeoutMs: 5000,
};

/** Options that are undefined count as absent. */
export function completeOptions(options: LogOptions): CompleteLogOptions {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...logDefaults, ...Object.fromEntries(defined) };
}

export type CompleteLogOptions = LogOptions & typeof logDefaults;
