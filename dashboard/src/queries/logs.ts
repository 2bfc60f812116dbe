/** The logs of a project: pages of entries, counts over time, values of fields, one entry with its surroundings. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';

export type LogEntry = Answer<'queryProjectLogs'>['data'][number];
export type LogQuestion = NonNullable<Input<'queryProjectLogs'>['query']>;

/** Relative times are read anew with every request: what is asked is made when it is asked. */
export type Asking = { key: string; question: () => LogQuestion };

const pageEntries = 100;
const buckets = 80; // bars of some pixels across a screen
const logsKey = (project: string) => ['projects', project, 'logs'];

export function logsKeyOf(project: string) {
  return { queryKey: logsKey(project) };
}

export function logPagesQuery(project: string, { key, question }: Asking) {
  return infiniteQueryOptions({
    queryKey: [...logsKey(project), 'pages', key],
    // The first page begins nowhere; the type of the others cannot be read from that.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...question(), limit: pageEntries, cursor: pageParam };
      return api.queryProjectLogs({ params: { project }, query }, { signal });
    },
    getNextPageParam: page => page.pagination.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function histogramQuery(project: string, { key, question }: Asking) {
  return queryOptions({
    queryKey: [...logsKey(project), 'histogram', key],
    queryFn: async ({ signal }) => {
      const asked = question();
      // An open end is now: what bears a later time has a wrong clock.
      const query = { ...asked, to: asked.to ?? new Date().toISOString(), buckets };
      return (await api.getProjectHistogram({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
  });
}

export function facetsQuery(project: string, field: string, { key, question }: Asking) {
  return queryOptions({
    queryKey: [...logsKey(project), 'facets', field, key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), field };
      return (await api.getProjectFacets({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
  });
}

export function entryQuery(project: string, traceId: string) {
  return queryOptions({
    queryKey: [...logsKey(project), 'entry', traceId],
    queryFn: async ({ signal }) =>
      (await api.getProjectLog({ params: { project, traceId } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
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
  });
}
