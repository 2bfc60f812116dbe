/** In which form matches are asked for, and what is answered: pages, buckets, values. */
import type { LogEntry } from './entries.ts';
import type { LogFilter } from './filters.ts';
import type { LogLevel } from './levels.ts';

export type LogOrder = 'asc' | 'desc';

export type LogPage = {
  order: LogOrder;
  limit: number;
  offset: number;
  /** A traceId, which need not exist: only what follows it in the order asked for. The order is that of traceIds. */
  after: string | null;
};

export type FoundLogs = { readonly entries: readonly Readonly<LogEntry>[]; readonly hasMore: boolean };

export type LogContext = { before: LogEntry[]; entry: LogEntry; after: LogEntry[] };

export type LogBuckets = { startMicros: number; intervalMicros: number; count: number };

/** Entries whose time is in `[startMicros, startMicros + intervalMicros)`. */
export type LogBucket = { readonly startMicros: number; readonly counts: Readonly<Record<LogLevel, number>> };

export type LogField = { kind: 'level' } | { kind: 'resource' } | { kind: 'metadata'; path: string };

export type ValueCount = { readonly value: string; readonly count: number };

/** The filter's project and datasets are those of the entry, whatever it says. */
export type LogNeighbours = { filter: LogFilter; before: number; after: number };

export type LogPlace = { project: string; datasets: readonly string[] | null; traceId: string };
