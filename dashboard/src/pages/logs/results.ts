/** Combines a search's rows: followed entries, the results below them, and where the list starts. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import {
  findFirst,
  type LogEntry,
  type LogRequest,
  logPagesQuery,
  reverseOrder,
} from '../../queries/logs.ts';
import { useLastFailure } from '../../ui/hooks/useLastFailure.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { composeLogQuestion, keyOf, type LogSearch, orderOf, searchAround, timeOf } from './search.ts';
import { useTail } from './tail.ts';
import type { ChangeSearch } from './useLogSearch.ts';

/** Entries missing between those in the list. */
export type Gap = { missing: number; isLoading: boolean };
export type Row = LogEntry | Gap;

export function isGap(row: Row): row is Gap {
  return 'missing' in row;
}

export function keyOfRow(row: Row | undefined): string {
  return row === undefined || isGap(row) ? 'gap' : row.traceId;
}

/** Where the list starts, for one search: around a chosen entry, or below the followed ones. */
type Start = { key: string; at: string; sought: string | null };

export type Results = ReturnType<typeof useResults>;

type ResultsProps = { project: string; search: LogSearch; change: ChangeSearch };

export function useResults({ project, search, change }: ResultsProps) {
  const key = keyOf(search);
  const asking = useLogRequest(search);
  const order = orderOf(search);
  const isLive = search.live !== undefined;
  const [lastStart, setStart] = useState<Start | null>(() => startOf(search));
  const start = lastStart?.key === key ? lastStart : null;
  const pages = useInfiniteQuery(logPagesQuery(project, asking, { order, startsAt: start?.at ?? null }));
  const searchError = useLastFailure(pages, key);
  const found = useMemo(() => pages.data?.pages.flatMap(page => page.entries) ?? [], [pages.data]);
  const known = useMemo(() => new Set(found.map(({ traceId }) => traceId)), [found]);
  const tail = useTail({ project, search, known, onFollowing: () => void pages.refetch() });
  const isLoadingGap = isLive && start !== null && pages.isPlaceholderData;
  const { entries: followed, missing } = tail;
  const rows = useMemo(
    () =>
      joinRows(followed, found, missing > 0 || isLoadingGap ? { missing, isLoading: isLoadingGap } : null),
    [followed, found, missing, isLoadingGap],
  );
  return {
    asking,
    pages,
    /** Set as soon as a query fails, even while it retries. */
    searchError,
    tail,
    rows,
    findEntry: (traceId: string) =>
      rows.find((row): row is LogEntry => !isGap(row) && row.traceId === traceId) ?? null,
    /** The entry that the list opens around; null starts at the top. */
    sought: isLive ? null : start,
    setLive: (isOn: boolean) => {
      setStart(null);
      const hasEnd = isOn && search.to !== undefined;
      if (hasEnd) showToast('Live shows new entries, so the time range was cleared');
      change({ live: isOn ? '1' : undefined, ...(hasEnd && { from: undefined, to: undefined }) });
      // A new search finds the followed entries.
      if (!isOn) void pages.refetch();
    },
    showFirst: () => setStart(null),
    showLast: async () => {
      const found = findFirst(project, asking.question(), reverseOrder(order));
      const last = await found.catch((error: Error) => showToast(error.message));
      if (last) setStart({ key, at: last.timestamp, sought: last.traceId });
    },
    showAround: (entry: LogEntry) => {
      const moment = searchAround(search, entry);
      setStart({ key: keyOf(moment), at: entry.timestamp, sought: entry.traceId });
      const cleared = Object.fromEntries(Object.keys(search).map(each => [each, undefined]));
      change({ ...cleared, ...moment });
    },
    loadMissing: () => {
      const last = followed.at(-1);
      if (last) setStart({ key, at: last.timestamp, sought: null });
      tail.forgetMissing();
    },
  };
}

/** If the address names an entry within the range, the list opens around it. */
function startOf(search: LogSearch): Start | null {
  const { entry, live } = search;
  const at = entry === undefined ? null : timeOf(entry);
  if (entry === undefined || at === null || live !== undefined) return null;
  const { from, to } = composeLogQuestion(search, Date.now());
  const isWithin =
    (from === undefined || Date.parse(from) <= Date.parse(at)) &&
    (to === undefined || Date.parse(at) <= Date.parse(to));
  return isWithin ? { key: keyOf(search), at, sought: entry } : null;
}

function useLogRequest(search: LogSearch): LogRequest {
  const key = keyOf(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal searches have equal keys, whatever object they are
  return useMemo(() => ({ key, question: () => composeLogQuestion(search, Date.now()) }), [key]);
}

/** Followed entries may also be among the results. */
function joinRows(
  followed: readonly LogEntry[],
  found: readonly LogEntry[],
  gap: Gap | null,
): readonly Row[] {
  if (followed.length === 0) return found;
  const known = new Set(followed.map(({ traceId }) => traceId));
  const others = found.filter(({ traceId }) => !known.has(traceId));
  return gap === null ? [...followed, ...others] : [...followed, gap, ...others];
}
