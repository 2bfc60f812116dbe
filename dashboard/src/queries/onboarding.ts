/** Checks whether a project has logs and files, and keeps checking until both arrive. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../api.ts';
import { type Storage, storageQuery } from './storage.ts';
import { tokensQuery } from './tokens.ts';
import { usageQuery } from './usage.ts';

const refetchMs = 4_000; // soon enough for a user who just sent something

/** undefined while unknown. */
export type OnboardingState = { hasLogs: boolean | undefined; hasFiles: boolean | undefined };

function anyFileQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'any-file'],
    queryFn: async ({ signal }) => {
      const answer = await api.listProjectFiles({ params: { project }, query: { limit: 1 } }, { signal });
      return answer.data.length > 0;
    },
  });
}

export function useOnboarding(project: string): OnboardingState {
  const storage = storageQuery(project); // shared with the page
  const { data: hasLogs } = useQuery({
    ...storage,
    select: holdsLogs,
    refetchInterval: query => (query.state.data && holdsLogs(query.state.data) ? false : refetchMs),
  });
  const { data: hasFiles } = useQuery({
    ...anyFileQuery(project),
    refetchInterval: ({ state }) => !state.data && refetchMs,
  });
  useNews(project, { hasLogs, hasFiles });
  return { hasLogs, hasFiles };
}

function holdsLogs({ kinds }: Storage): boolean {
  return kinds.logs.entries > 0;
}

/** Refreshes the page's counts when the first file or log arrives. */
function useNews(project: string, { hasLogs, hasFiles }: OnboardingState): void {
  const queries = useQueryClient();
  const before = useRef<OnboardingState>({ hasLogs, hasFiles });
  useEffect(() => {
    const isNews =
      (before.current.hasLogs === false && hasLogs) || (before.current.hasFiles === false && hasFiles);
    before.current = { hasLogs, hasFiles };
    if (!isNews) return;
    void queries.invalidateQueries(usageQuery(project));
    void queries.invalidateQueries(tokensQuery(project));
  }, [queries, project, hasLogs, hasFiles]);
}
