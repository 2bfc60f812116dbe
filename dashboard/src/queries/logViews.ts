/** Saved searches of logs. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

export type LogView = Answer<'listLogViews'>['views'][number];

export function logViewsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'log-views'],
    queryFn: async ({ signal }) => (await api.listLogViews({ params: { project } }, { signal })).views,
  });
}

export function useViewCreation(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; query: string }) => api.createLogView({ params: { project }, body }),
    onSuccess: () => queries.invalidateQueries(logViewsQuery(project)),
  });
}

export function useViewChange(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; name?: string; query?: string }) =>
      api.updateLogView({ params: { project, view: id }, body }),
    onSuccess: () => queries.invalidateQueries(logViewsQuery(project)),
  });
}

export function useViewRemoval(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (view: string) => api.deleteLogView({ params: { project, view } }),
    onSuccess: () => queries.invalidateQueries(logViewsQuery(project)),
  });
}
