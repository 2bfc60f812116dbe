/** Options for sending log entries, and the sender's interface. */
import type { TapedeckError } from '../../errors.ts';
import type { DropReason } from './drops.ts';
import type { LogEntry } from './entryText.ts';

export type LogOptions = {
  /** The dataset of entries without one. */
  dataset?: string;
  /** The resource of entries without one. */
  resource?: string;
  batchEntriesMax?: number;
  batchBytesMax?: number;
  /** How long an entry waits for others to join its batch. */
  batchDelayMs?: number;
  queueEntriesMax?: number;
  queueBytesMax?: number;
  /** A folder where entries survive the process (Node.js, Bun and Deno). Then only `spoolBytesMax` limits them. */
  spool?: string;
  spoolBytesMax?: number;
  /** How long program exit may wait for the last entries. */
  exitTimeoutMs?: number;
  onDrop?: (drop: { count: number; reason: DropReason }) => void;
  onError?: (error: TapedeckError) => void;
};

export type LogStats = { queued: number; queuedBytes: number; stored: number; dropped: number };

export interface Logs {
  /**
   * Queues an entry with the current time; never throws. Returns false if the entry was dropped, or if the queue is now full:
   * await `ready()` before the next write. Calls the callback once, when the entry is stored or dropped.
   */
  write(entry: LogEntry, callback?: (error?: Error) => void): boolean;
  /** Resolves when the queue has room. */
  ready(): Promise<void>;
  /** Sends everything written before the call. Resolves with true if all of it was stored in time. */
  flush(options?: { timeoutMs?: number }): Promise<boolean>;
  stats(): LogStats;
  /** Sends the queued entries, then accepts no more. Resolves with true if all were stored in time. */
  close(): Promise<boolean>;
}

const logDefaults = {
  batchEntriesMax: 1000, // CONTRACT.md, 12.1, like the rest
  batchBytesMax: 1024 * 1024,
  batchDelayMs: 1000,
  queueEntriesMax: 100_000,
  queueBytesMax: 32 * 1024 * 1024,
  spoolBytesMax: 256 * 1024 * 1024,
  exitTimeoutMs: 5000,
};

/** Treats undefined options as absent. */
export function completeOptions(options: LogOptions): CompleteLogOptions {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...logDefaults, ...Object.fromEntries(defined) };
}

export type CompleteLogOptions = LogOptions & typeof logDefaults;
