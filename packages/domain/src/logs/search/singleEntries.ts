/** Finds an entry by its traceId, its neighbours and its children. */

import type { ListedLogs, LogContext, LogEntry, LogFilter, LogPlace } from '../../ports/logQueries.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import type { LogSearchDeps } from './searchFilter.ts';

const logContextEntriesMax = 100; // on each side; SERVICE.md's largest page

type EntryDeps = Pick<LogSearchDeps, 'logQueries'>;

/** `before`, `after`: how many matches to find on each side. */
type ContextRequest = {
  place: LogPlace;
  filter: LogFilter;
  before: number | undefined;
  after: number | undefined;
};

export async function getEntry(
  { logQueries }: EntryDeps,
  place: LogPlace,
  signal: AbortSignal,
): Promise<LogEntry> {
  const entry = await logQueries.findEntry(place, signal);
  if (entry === null) throw noEntryError();
  return entry;
}

export async function getContext(
  { logQueries }: EntryDeps,
  { place, filter, before, after }: ContextRequest,
  signal: AbortSignal,
): Promise<LogContext> {
  const around = { filter, before: limitSide(before), after: limitSide(after) };
  const context = await logQueries.findContext(place, around, signal);
  if (context === null) throw noEntryError();
  return context;
}

/** Lists children, oldest first, even if their parent never arrived. */
export async function listChildren(
  { logQueries }: EntryDeps,
  place: LogPlace,
  signal: AbortSignal,
): Promise<ListedLogs> {
  return logQueries.findChildren(place, limits.logChildrenMax, signal);
}

function limitSide(entries: number = limits.logContextEntriesDefault): number {
  return Math.min(entries, logContextEntriesMax);
}

function noEntryError(): ServiceError {
  return new ServiceError('not_found', 'There is no log entry with this traceId.');
}
