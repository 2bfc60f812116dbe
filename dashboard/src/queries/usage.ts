/** A project's use of storage. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { refetchAfter } from './logs.ts';

export type Usage = Answer<'getUsage'>;

const days = 30;
const freshForMs = 60_000; // counting months of entries is expensive; days change slowly

export function usageQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'usage'],
    queryFn: ({ signal }) => api.getUsage({ params: { project }, query: { days } }, { signal }),
    staleTime: freshForMs,
    refetchInterval: refetchAfter(),
  });
}

/** Counts files older than the given number of UTC days, and at most those of a partial day more. */
export function agedFilesQuery(project: string, days: number) {
  return queryOptions({
    queryKey: ['projects', project, 'usage', 'aged', days],
    queryFn: async ({ signal }) => {
      const usage = await api.getUsage({ params: { project }, query: { days } }, { signal });
      const sum = (key: 'files' | 'bytes') => usage.days.reduce((total, day) => total + day[key], 0);
      return { files: usage.totals.files - sum('files'), bytes: usage.totals.bytes - sum('bytes') };
    },
    staleTime: 0,
  });
}
