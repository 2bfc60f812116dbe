/** Home's queries about logs: the week by hour, the last hours by minute, and today's new patterns. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { sliceMinutes, slicesHours } from './homeIntervals.ts';
import { logsKeyOf, refetchAfter } from './logs.ts';

export const refetchMs = 30_000; // while the page is visible

const hourMs = 3_600_000;
const weekHours = 7 * 24 + 1; // the last hour, and the same one a week ago
export const rateHours = 6;
const barsOfDay = 24;

export type Counts = Answer<'getProjectHistogram'>['data'][number]['counts'];

/** Counts by hour. Hours are aligned to the current minute; the last one ends now. */
export function hoursQuery(project: string) {
  return countsQuery(project, { name: 'hours', spanMs: weekHours * hourMs, buckets: weekHours });
}

/** Counts for each minute of the last hours, up to now. */
export function ratesQuery(project: string) {
  const buckets = rateHours * 60;
  return countsQuery(project, { name: 'rates', spanMs: rateHours * hourMs, buckets });
}

/** Counts every few minutes of today and yesterday, to find problems shorter than an hour. */
export function slicesQuery(project: string) {
  const buckets = (slicesHours * 60) / sliceMinutes;
  const spanMs = slicesHours * hourMs;
  return countsQuery(project, { name: 'slices', spanMs, buckets, againMs: 10 * refetchMs });
}

/** `againMs`: the refresh interval. */
type Span = { name: string; spanMs: number; buckets: number; againMs?: number };

function countsQuery(project: string, { name, spanMs, buckets, againMs = refetchMs }: Span) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'home', name],
    queryFn: async ({ signal }): Promise<readonly Counts[]> => {
      const now = Date.now();
      // The range includes its end, hence one millisecond less.
      const [from, to] = [now - spanMs, now - 1].map(at => new Date(at).toISOString());
      const query = { dataset: '*', from, to, buckets };
      const { data } = await api.getProjectHistogram({ params: { project }, query }, { signal });
      return data.map(({ counts }) => counts);
    },
    refetchInterval: refetchAfter(againMs),
    retry: false, // the tile shows the error, and this query runs again
  });
}

export type News = Pick<Answer<'listProjectLogPatterns'>, 'data' | 'total'> & { since: string };

/** Patterns new since midnight in the user's time zone. */
export function newsQuery(project: string) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'home', 'news'],
    queryFn: async ({ signal }): Promise<News> => {
      const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
      const to = new Date().toISOString();
      const query = { dataset: '*', from: since, to, new: 'true', buckets: barsOfDay };
      const { data, total } = await api.listProjectLogPatterns({ params: { project }, query }, { signal });
      return { data, total, since };
    },
    refetchInterval: refetchAfter(refetchMs),
    retry: false, // the tile shows the error, and this query runs again
  });
}
