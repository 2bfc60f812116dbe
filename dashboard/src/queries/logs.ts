/** The logs of a project: pages of entries, counts over time, values of fields, one entry with its surroundings. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, ApiError, type Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { mayPass } from './cache.ts';

export type LogEntry = Answer<'queryProjectLogs'>['data'][number];
export type LogQuestion = NonNullable<Input<'queryProjectLogs'>['query']>;

/** Relative times are read anew with every request: what is asked is made when it is asked. */
export type Asking = { key: string; question: () => LogQuestion };

/** The part of the list that one answer brings, newest first. */
type LogPage = {
  entries: readonly LogEntry[];
  olderCursor: string | null;
  newerCursor: string | null;
};
type PagePlace = { older: string } | { newer: string; below: PagePlace } | 'start';

const pageEntries = 100;
const buckets = 80; // bars of some pixels across a screen
const trialSeconds = { first: 2, most: 15 }; // between trials while the service is in trouble
const logsKey = (project: string) => ['projects', project, 'logs'];

export function logsKeyOf(project: string) {
  return { queryKey: logsKey(project) };
}

type Failing = { state: { error: Error | null; errorUpdateCount: number } };

/** What failed and may pass is asked again by itself, ever more seldom, while the page is looked at. */
export function askAgainAfter(intervalMs: number | false = false) {
  return ({ state: { error, errorUpdateCount } }: Failing): number | false => {
    if (error === null) return intervalMs;
    if (!mayPass(error)) return false;
    const seconds = Math.min(trialSeconds.most, trialSeconds.first * 2 ** Math.min(errorUpdateCount - 1, 5));
    return 1000 * Math.max(seconds, (error instanceof ApiError && error.retryAfterSeconds) || 0);
  };
}

/** The newest first; `startsAt` begins the list there, and it goes on to both sides. */
export function logPagesQuery(project: string, { key, question }: Asking, startsAt: string | null) {
  return infiniteQueryOptions({
    queryKey: [...logsKey(project), 'pages', key, startsAt],
    initialPageParam: 'start' as PagePlace, // of which the others are variants
    queryFn: ({ pageParam, signal }): Promise<LogPage> => {
      const ask = (query: LogQuestion) =>
        api.queryProjectLogs(
          { params: { project }, query: { ...question(), limit: pageEntries, ...query } },
          { signal },
        );
      if (pageParam !== 'start')
        return 'older' in pageParam
          ? ask({ cursor: pageParam.older }).then(writeOlder)
          : ask({ cursor: pageParam.newer, order: 'asc' }).then(writeNewer);
      return startsAt === null ? ask({}).then(writeOlder) : askAround(ask, startsAt);
    },
    getNextPageParam: ({ olderCursor }, _pages, place) => {
      if (place !== 'start' && 'below' in place) return place.below;
      return olderCursor === null ? undefined : { older: olderCursor };
    },
    getPreviousPageParam: ({ newerCursor }, _pages, place) =>
      newerCursor === null ? undefined : { newer: newerCursor, below: place },
    placeholderData: keepPreviousData,
    refetchInterval: askAgainAfter(),
  });
}

type Found = Answer<'queryProjectLogs'>;

async function askAround(ask: (query: LogQuestion) => Promise<Found>, at: string): Promise<LogPage> {
  const [older, newer] = await Promise.all([
    ask({ to: at }).then(writeOlder),
    ask({ from: at, order: 'asc' }).then(writeNewer),
  ]);
  const known = new Set(newer.entries.map(({ traceId }) => traceId));
  const entries = [...newer.entries, ...older.entries.filter(({ traceId }) => !known.has(traceId))];
  return { ...older, entries, newerCursor: newer.newerCursor };
}

function writeOlder({ data, pagination }: Found): LogPage {
  return { entries: data, olderCursor: pagination.nextCursor, newerCursor: null };
}

function writeNewer({ data, pagination }: Found): LogPage {
  return { entries: data.toReversed(), olderCursor: null, newerCursor: pagination.nextCursor };
}

export function histogramQuery(
  project: string,
  { key, question }: Asking,
  recountIntervalMs: number | false = false,
) {
  return queryOptions({
    queryKey: [...logsKey(project), 'histogram', key],
    queryFn: async ({ signal }) => {
      const asked = question();
      // An open end is now: what bears a later time has a wrong clock.
      const query = { ...asked, to: asked.to ?? new Date().toISOString(), buckets };
      return (await api.getProjectHistogram({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: askAgainAfter(recountIntervalMs),
  });
}

type FacetAsking = Asking & { field: string; recountIntervalMs: number | false };

export function facetsQuery(project: string, { key, question, field, recountIntervalMs }: FacetAsking) {
  return queryOptions({
    queryKey: [...logsKey(project), 'facets', field, key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), field };
      return (await api.getProjectFacets({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: askAgainAfter(recountIntervalMs),
  });
}

export function entryQuery(project: string, traceId: string) {
  return queryOptions({
    queryKey: [...logsKey(project), 'entry', traceId],
    queryFn: async ({ signal }) =>
      (await api.getProjectLog({ params: { project, traceId } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: askAgainAfter(),
  });
}

/** `entries` on each side. */
export function contextQuery(project: string, traceId: string, entries: number) {
  return queryOptions({
    queryKey: [...logsKey(project), 'context', traceId, entries],
    queryFn: async ({ signal }) => {
      const query = { before: entries, after: entries };
      return (await api.getProjectLogContext({ params: { project, traceId }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: askAgainAfter(),
  });
}

/** The very first of all matches; null when nothing matches. */
export async function findOldest(project: string, question: LogQuestion): Promise<LogEntry | null> {
  const query = { ...question, order: 'asc', limit: 1 } as const;
  const { data } = await api.queryProjectLogs({ params: { project }, query });
  return data[0] ?? null;
}

/** Whether an export would begin: a link to it cannot say why not. */
export async function probeLogs(project: string, question: LogQuestion): Promise<void> {
  await api.queryProjectLogs({ params: { project }, query: { ...question, limit: 1 } });
}
