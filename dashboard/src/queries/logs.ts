/** A project's logs: pages of entries, counts over time, and an entry with its context. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, ApiError, type Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { isTransient } from './cache.ts';
import { openPace } from './liveRefresh.ts';

export type LogEntry = Answer<'queryProjectLogs'>['data'][number];
export type LogQuestion = NonNullable<Input<'queryProjectLogs'>['query']>;

/** `desc`: newest first. */
export type Order = 'asc' | 'desc';

/** Computes the times again for each request, because relative ones move. */
export type LogRequest = { key: string; question: () => LogQuestion };

/** One response's part of the list, in list order. */
type LogPage = {
  entries: readonly LogEntry[];
  /** Cursors to continue below and above. */
  nextCursor: string | null;
  previousCursor: string | null;
};
type PagePlace = { after: string } | { before: string; below: PagePlace } | 'start';

const pageEntries = 100;
const buckets = 80; // bars of a few pixels across a screen
const histogramPace = openPace();
const trialSeconds = { first: 2, most: 15 }; // pauses between retries while the service has trouble
const logsKey = (project: string) => ['projects', project, 'logs'];

export function logsKeyOf(project: string) {
  return { queryKey: logsKey(project) };
}

type Failing = { state: { error: Error | null; errorUpdateCount: number } };

/** Retries failed queries that may recover, less and less often, while the page is visible. */
export function refetchAfter(intervalMs: number | false = false) {
  return ({ state: { error, errorUpdateCount } }: Failing): number | false => {
    if (error === null) return intervalMs;
    if (!isTransient(error)) return false;
    const seconds = Math.min(trialSeconds.most, trialSeconds.first * 2 ** Math.min(errorUpdateCount - 1, 5));
    return 1000 * Math.max(seconds, (error instanceof ApiError && error.retryAfterSeconds) || 0);
  };
}

type Listing = { order: Order; startsAt: string | null };

/** Starts the list at `startsAt`, from where it continues both ways. */
export function logPagesQuery(project: string, { key, question }: LogRequest, { order, startsAt }: Listing) {
  return infiniteQueryOptions({
    queryKey: [...logsKey(project), 'pages', key, order, startsAt],
    initialPageParam: 'start' as PagePlace, // widened to the type of all pages
    queryFn: ({ pageParam, signal }): Promise<LogPage> => {
      const ask = async (query: LogQuestion) =>
        api.queryProjectLogs(
          { params: { project }, query: { ...question(), limit: pageEntries, ...query } },
          { signal },
        );
      const fetchBelow = (query: LogQuestion) => ask({ ...query, order }).then(writeBelow);
      const fetchAbove = (query: LogQuestion) =>
        ask({ ...query, order: reverseOrder(order) }).then(writeAbove);
      if (pageParam !== 'start')
        return 'after' in pageParam
          ? fetchBelow({ cursor: pageParam.after })
          : fetchAbove({ cursor: pageParam.before });
      if (startsAt === null) return fetchBelow({});
      const [until, since] = [{ to: startsAt }, { from: startsAt }];
      return order === 'desc'
        ? joinPages(fetchAbove(since), fetchBelow(until))
        : joinPages(fetchAbove(until), fetchBelow(since));
    },
    getNextPageParam: ({ nextCursor }, _pages, place) => {
      if (place !== 'start' && 'below' in place) return place.below;
      return nextCursor === null ? undefined : { after: nextCursor };
    },
    getPreviousPageParam: ({ previousCursor }, _pages, place) =>
      previousCursor === null ? undefined : { before: previousCursor, below: place },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(),
  });
}

export function reverseOrder(order: Order): Order {
  return order === 'asc' ? 'desc' : 'asc';
}

/** Joins two pages. Both may contain entries of the instant between them. */
async function joinPages(above: Promise<LogPage>, below: Promise<LogPage>): Promise<LogPage> {
  const [first, last] = await Promise.all([above, below]);
  const known = new Set(first.entries.map(({ traceId }) => traceId));
  const entries = [...first.entries, ...last.entries.filter(({ traceId }) => !known.has(traceId))];
  return { ...last, entries, previousCursor: first.previousCursor };
}

type Found = Answer<'queryProjectLogs'>;

function writeBelow({ data, pagination }: Found): LogPage {
  return { entries: data, nextCursor: pagination.nextCursor, previousCursor: null };
}

function writeAbove({ data, pagination }: Found): LogPage {
  return { entries: data.toReversed(), nextCursor: null, previousCursor: pagination.nextCursor };
}

export function histogramQuery(project: string, { key, question }: LogRequest, isFollowed = false) {
  return queryOptions({
    queryKey: [...logsKey(project), 'histogram', key],
    queryFn: async ({ signal }) => {
      const asked = question();
      // An open range ends now, which excludes entries from wrong clocks.
      const query = { ...asked, to: asked.to ?? new Date().toISOString(), buckets };
      const ask = () => api.getProjectHistogram({ params: { project }, query }, { signal });
      return (await histogramPace.time(ask)).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(histogramPace.interval(isFollowed)),
  });
}

export function entryQuery(project: string, traceId: string) {
  return queryOptions({
    queryKey: [...logsKey(project), 'entry', traceId],
    queryFn: async ({ signal }) =>
      (await api.getProjectLog({ params: { project, traceId } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: refetchAfter(),
  });
}

/** Returns a dataset's newest entry since then, or null. */
export function newestEntryQuery(project: string, query: { dataset: string; from: string }) {
  return queryOptions({
    queryKey: [...logsKey(project), 'newest', query],
    queryFn: async ({ signal }) => {
      const asked = { ...query, limit: 1 };
      return (await api.queryProjectLogs({ params: { project }, query: asked }, { signal })).data[0] ?? null;
    },
  });
}

/** Lists entries with this parent, oldest first. */
export function childrenQuery(project: string, traceId: string) {
  return queryOptions({
    queryKey: [...logsKey(project), 'children', traceId],
    queryFn: async ({ signal }) =>
      (await api.listProjectLogChildren({ params: { project, traceId } }, { signal })).data,
    refetchInterval: refetchAfter(),
  });
}

/** Ancestors from the root down to the parent. An entry may name a parent that does not exist. */
export type Ancestry = { entries: readonly LogEntry[]; missing: string | null; isCut: boolean };

const ancestorsMax = 20; // loaded one after another

/** Loads an entry's ancestors up to the root. Senders choose parents, so they may form a cycle. */
export function ancestryQuery(
  project: string,
  { traceId, parentId }: Pick<LogEntry, 'traceId' | 'parentId'>,
) {
  return queryOptions({
    queryKey: [...logsKey(project), 'ancestry', traceId],
    queryFn: async ({ signal, client }): Promise<Ancestry> => {
      const entries: LogEntry[] = [];
      const known = new Set([traceId]);
      let next = parentId;
      while (next !== '' && !known.has(next) && entries.length < ancestorsMax) {
        known.add(next);
        const found = await findEntry(project, next, signal);
        if (found === null) return { entries, missing: next, isCut: false };
        client.setQueryData(entryQuery(project, next).queryKey, found);
        entries.unshift(found);
        next = found.parentId;
      }
      return { entries, missing: null, isCut: next !== '' };
    },
    refetchInterval: refetchAfter(),
  });
}

async function findEntry(project: string, traceId: string, signal: AbortSignal): Promise<LogEntry | null> {
  try {
    return (await api.getProjectLog({ params: { project, traceId } }, { signal })).data;
  } catch (error) {
    // Senders may write anything as a parent, even an invalid traceId.
    if (error instanceof ApiError && error.status >= 400 && error.status < 429) return null;
    throw error;
  }
}

type ContextAsked = { entries: number; narrowed: string };

/** Loads `entries` on each side that match the query `narrowed`, which may be empty. */
export function contextQuery(project: string, traceId: string, { entries, narrowed }: ContextAsked) {
  return queryOptions({
    queryKey: [...logsKey(project), 'context', traceId, entries, narrowed],
    queryFn: async ({ signal }) => {
      const query = { before: entries, after: entries, ...(narrowed !== '' && { query: narrowed }) };
      return (await api.getProjectLogContext({ params: { project, traceId }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(),
  });
}

/** Returns the first of all matches in this order, or null. */
export async function findFirst(
  project: string,
  question: LogQuestion,
  order: Order,
): Promise<LogEntry | null> {
  const { data } = await api.queryProjectLogs({
    params: { project },
    query: { ...question, order, limit: 1 },
  });
  return data[0] ?? null;
}

/** Tests whether an export would begin, because a download link cannot report an error. */
export async function probeLogs(project: string, question: LogQuestion): Promise<void> {
  await api.queryProjectLogs({ params: { project }, query: { ...question, limit: 1 } });
}
