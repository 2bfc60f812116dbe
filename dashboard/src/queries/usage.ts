/** What a project takes up. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

export type Usage = Answer<'getUsage'>;

const days = 30;

export function usageQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'usage'],
    queryFn: ({ signal }) => api.getUsage({ params: { project }, query: { days } }, { signal }),
  });
}
