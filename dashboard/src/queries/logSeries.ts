/** A project's logs as chart lines. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { openPace } from './liveRefresh.ts';
import { type LogRequest, logsKeyOf, refetchAfter } from './logs.ts';

export type DrawnSeries = Answer<'getProjectSeries'>['data'];

const buckets = 80; // bars of a few pixels across a screen
const pace = openPace();

type SeriesRequest = LogRequest & {
  drawn: { stat: string; field?: string; by?: string; top: number };
  isFollowed: boolean;
};

export function seriesQuery(project: string, { key, question, drawn, isFollowed }: SeriesRequest) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'series', drawn, key],
    queryFn: async ({ signal }) => {
      const asked = question();
      // An open range ends now, as in the histogram.
      const query = { ...asked, ...drawn, to: asked.to ?? new Date().toISOString(), buckets };
      const ask = () => api.getProjectSeries({ params: { project }, query }, { signal });
      return (await pace.time(ask)).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(pace.interval(isFollowed)),
  });
}
