/** A project's sessions: live ones, and those of servers that stopped reporting. */
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

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

export function liveSessionsQuery(project: string) {
  return queryOptions({ ...sessionsOfProjectQuery(project), select: listLiving });
}

function listLiving({ sessions }: Sessions): readonly LiveSession[] {
  return sessions;
}

export type ServerAction = Answer<'getServerReport'>['actions'][number];

export function serverReportQuery(project: string, session: string) {
  return queryOptions({
    queryKey: ['projects', project, 'sdk-sessions', session, 'report'],
    queryFn: ({ signal }) => api.getServerReport({ params: { project, session } }, { signal }),
    refetchInterval: refreshMs,
    staleTime: 0,
  });
}

export function useServerAction(project: string, session: string) {
  return useMutation({
    mutationFn: ({ action, fields }: { action: string; fields: Record<string, string> }) =>
      api.runServerAction({ params: { project, session, action }, body: { fields } }),
  });
}

export function useSessionEnd(project: string) {
  return useChange(
    (session: string) => api.endSession({ params: { project, session } }),
    sessionsOfProjectQuery(project),
  );
}
