/** The live reporting sessions of a project. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

export type LiveSession = Answer<'listSessions'>['sessions'][number];

const refreshMs = 10_000; // servers report every few minutes

export function liveSessionsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'sdk-sessions'],
    queryFn: async ({ signal }) => (await api.listSessions({ params: { project } }, { signal })).sessions,
    refetchInterval: refreshMs,
  });
}

export function useSessionEnd(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (session: string) => api.endSession({ params: { project, session } }),
    onSuccess: () => queries.invalidateQueries(liveSessionsQuery(project)),
  });
}
