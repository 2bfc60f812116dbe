/** What a project takes up. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

export type Usage = Answer<'getUsage'>;

const days = 30;
const freshForMs = 60_000; // counting months of entries is work; days do not change by the second

export function usageQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'usage'],
    queryFn: ({ signal }) => api.getUsage({ params: { project }, query: { days } }, { signal }),
    staleTime: freshForMs,
  });
}
