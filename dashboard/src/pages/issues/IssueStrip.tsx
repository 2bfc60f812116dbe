/** Shows an issue's facts and actions above its entries in the logs. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { issuesQuery } from '../../queries/issues.ts';
import { nameValues } from '../../queries/logPatterns.ts';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { requiresOnly } from '../logs/queryFilters.ts';
import { decisions, useDecisions } from './decisions.ts';
import { stateNames } from './IssueControls.tsx';
import { IssueFacts } from './IssueFacts.tsx';
import { usualDays } from './search.ts';
import { readShownState } from './shownIssues.ts';

type IssueStripProps = { project: string; query: string };

export function IssueStrip({ project, query }: IssueStripProps) {
  // Runs the Issues page's default query.
  const { data } = useQuery(issuesQuery(project, { days: Number(usualDays), withWarnings: false }));
  const { decide, pending, error } = useDecisions(project);
  const mayDecide = isRoleAtLeast(useProject(project).role, 'member');
  const issue = data?.issues.find(each => requiresOnly(query, 'pattern', nameValues(each)));
  if (issue === undefined) return null;
  const state = readShownState(issue);
  return (
    <section
      aria-label="Issue"
      className="flex flex-wrap items-center gap-x-4 gap-y-1.5 rounded-xl border border-line bg-panel px-3.5 py-2 text-[0.82rem] shadow-panel"
    >
      <span className="font-medium">
        {stateNames[state]}{' '}
        <Link
          to="/projects/$project/issues"
          params={{ project }}
          {...(state !== 'open' && { search: { state } })}
          className="inline-block leading-[24px] underline decoration-edge underline-offset-3 hover:decoration-ink phone:leading-[44px]"
        >
          issue
        </Link>
      </span>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.76rem] text-muted">
        <IssueFacts issue={issue} />
      </span>
      {mayDecide && (
        <span className="ml-auto flex gap-1.5">
          {decisions[issue.state].map(([chosen, name]) => (
            <Button
              key={chosen}
              size="small"
              busy={pending.length > 0}
              onClick={() => decide([issue], chosen)}
            >
              {name}
            </Button>
          ))}
        </span>
      )}
      {error && <Notice look="error">{error.message}</Notice>}
    </section>
  );
}
