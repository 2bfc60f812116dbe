/** Finds entries that belong to another one: its children, and the entries around it. */
import {
  composeTraceId,
  type ListedLogs,
  type LogContext,
  type LogNeighbours,
  type LogOrder,
  type LogPlace,
  parseTraceId,
} from '@tapedeck/log-entries';
import { Binder } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';
import { type EntryDeps, findEntries, findEntry, matchAll } from './entries.ts';
import { PageRoom, queryEntries, splitPage } from './entryRows.ts';

/** Finds children of any time through the index of parents. Clients set times, so a child may be older than its parent. */
export async function findChildren(
  deps: EntryDeps,
  place: LogPlace,
  request: { limit: number; signal: AbortSignal },
): Promise<ListedLogs> {
  const binder = new Binder();
  const conditions = formatConditions(matchAll(place), binder);
  // The id as given, and in the spelling of entries.
  const names = [...new Set([place.traceId, normalizeTraceId(place.traceId)])];
  const parents = names.map(name => `parentId = ${binder.bind('String', name)}`);
  const limit = binder.bind('UInt64', request.limit);
  const options = { weight: 'search', signal: request.signal, room: new PageRoom() } as const;
  const entries = await queryEntries(deps.runner, options, {
    formatSql:
      columns => `SELECT ${columns} FROM ${deps.table} WHERE ${conditions} AND (${parents.join(' OR ')})
      ORDER BY timestamp, identity LIMIT ${limit}`,
    parameters: binder.parameters,
  });
  return splitPage(entries);
}

function normalizeTraceId(text: string): string {
  const halves = parseTraceId(text);
  return halves === null ? text : composeTraceId(halves.timestampMicros, halves.identity);
}

export async function findContext(
  deps: EntryDeps,
  place: LogPlace,
  around: LogNeighbours & { signal: AbortSignal },
): Promise<LogContext | null> {
  const { signal } = around;
  const entry = await findEntry(deps, place, signal);
  if (entry === null) return null;
  const filter = { ...around.filter, project: place.project, datasets: [entry.dataset] };
  const findSide = async (order: LogOrder, limit: number): Promise<ListedLogs> => {
    if (limit === 0) return { entries: [], unread: [] };
    return findEntries(deps, filter, { order, limit, offset: 0, after: entry.traceId, signal });
  };
  const [before, after] = await Promise.all([findSide('desc', around.before), findSide('asc', around.after)]);
  return {
    unreadBefore: before.unread.toReversed(),
    before: before.entries.toReversed(),
    entry,
    after: after.entries,
    unreadAfter: after.unread,
  };
}
