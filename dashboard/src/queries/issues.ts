/** Errors of a project, grouped by what they say, and what people decided about them. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { askAgainAfter } from './logs.ts';

export type FoundIssues = Answer<'listIssues'>;
export type Issue = FoundIssues['issues'][number];
type AskedIssues = { days: number; withWarnings: boolean };
/** Decisions about an issue. */
export type Decision = Input<'decideIssue'>['body']['state'];

const issuesFreshMs = 30_000; // counting a week's errors is work

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
    refetchInterval: askAgainAfter(issuesFreshMs),
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
    // Counting anew takes the engine a moment, or half a minute when it is slow.
    onSuccess: decided => {
      const decide = (issue: Issue): Issue => ({ ...issue, ...decided.get(issue.pattern) });
      queries.setQueriesData<FoundIssues>(
        { queryKey: issuesKey(project) },
        found => found && { ...found, issues: found.issues.map(decide) },
      );
    },
    // Of several, some may be decided before one fails.
    onSettled: () => void queries.invalidateQueries({ queryKey: issuesKey(project) }),
  });
}
