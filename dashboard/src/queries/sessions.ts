/** The reporting sessions of a project: those that live, and those of servers that stopped reporting. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

export type Sessions = Answer<'listSessions'>;
export type LiveSession = Sessions['sessions'][number];

const refreshMs = 10_000; // servers report every few minutes

export function sessionsOfProjectQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'sdk-sessions'],
    queryFn: ({ signal }) => api.listSessions({ params: { project } }, { signal }),
    refetchInterval: refreshMs,
  });
}

/** Those that live alone. */
export function liveSessionsQuery(project: string) {
  return queryOptions({ ...sessionsOfProjectQuery(project), select: listLiving });
}

function listLiving({ sessions }: Sessions): readonly LiveSession[] {
  return sessions;
}

export function useSessionEnd(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (session: string) => api.endSession({ params: { project, session } }),
    onSuccess: () => queries.invalidateQueries(sessionsOfProjectQuery(project)),
  });
}
