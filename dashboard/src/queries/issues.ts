/** A project's errors, grouped by message, and the team's decisions about them. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { refetchAfter } from './logs.ts';

export type FoundIssues = Answer<'listIssues'>;
export type Issue = FoundIssues['issues'][number];
type AskedIssues = { days: number; withWarnings: boolean };
export type Decision = Input<'decideIssue'>['body']['state'];

const issuesFreshMs = 30_000; // counting a week's errors is expensive

function issuesKey(project: string) {
  return ['projects', project, 'issues'];
}

/** Fetches issues in every state; the page chooses which to show. */
export function issuesQuery(project: string, { days, withWarnings }: AskedIssues) {
  return queryOptions({
    queryKey: [...issuesKey(project), days, withWarnings],
    queryFn: ({ signal }): Promise<FoundIssues> =>
      api.listIssues({ params: { project }, query: { days, warnings: withWarnings } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: issuesFreshMs,
    refetchInterval: refetchAfter(issuesFreshMs),
  });
}

export function useIssueDecision(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ issues, state }: { issues: readonly Issue[]; state: Decision }) => {
      const decided = new Map<string, Answer<'decideIssue'>['issue']>();
      for (const { pattern, merged, template } of issues) {
        const body = { state, ...(merged && { template }) };
        const { issue } = await api.decideIssue({ params: { project, pattern }, body });
        decided.set(pattern, issue);
      }
      return decided;
    },
    // Updates the cache, because counting again may take the engine up to half a minute.
    onSuccess: decided => {
      const decide = (issue: Issue): Issue => ({ ...issue, ...decided.get(issue.pattern) });
      queries.setQueriesData<FoundIssues>(
        { queryKey: issuesKey(project) },
        found => found && { ...found, issues: found.issues.map(decide) },
      );
    },
    // Runs on errors too, because some of several issues may be decided by then.
    onSettled: () => void queries.invalidateQueries({ queryKey: issuesKey(project) }),
  });
}
