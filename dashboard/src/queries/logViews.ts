/** Saved searches of logs. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type LogView = Answer<'listLogViews'>['views'][number];

export function logViewsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'log-views'],
    queryFn: async ({ signal }) => (await api.listLogViews({ params: { project } }, { signal })).views,
  });
}

export function useViewCreation(project: string) {
  return useChange(
    (body: { name: string; query: string }) => api.createLogView({ params: { project }, body }),
    logViewsQuery(project),
  );
}

export function useViewChange(project: string) {
  return useChange(
    ({ id, ...body }: { id: string; name?: string; query?: string }) =>
      api.updateLogView({ params: { project, view: id }, body }),
    logViewsQuery(project),
  );
}

export function useViewRemoval(project: string) {
  return useChange(
    (view: string) => api.deleteLogView({ params: { project, view } }),
    logViewsQuery(project),
  );
}
