/** Shows an issue: its text, count, times, affected players, and actions. */
import { Link } from '@tanstack/react-router';
import { countThings, formatCount } from '../../format/numbers.ts';
import type { Decision, Issue } from '../../queries/issues.ts';
import { nameValues } from '../../queries/logPatterns.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { levelLooks } from '../logs/levels.ts';
import { Sparkline } from '../logs/patterns/Sparkline.tsx';
import { Template } from '../logs/patterns/Template.tsx';
import { toggleOnly } from '../logs/queryFilters.ts';
import { decisions } from './decisions.ts';
import { IssueFacts } from './IssueFacts.tsx';

type IssueLineProps = {
  project: string;
  issue: Issue;
  days: number;
  isBusy: boolean;
  /** null if the user may not decide. */
  onDecide: ((state: Decision) => void) | null;
  /** True if the user may create a rule for it. */
  mayAlert: boolean;
};

export function IssueLine({ days, issue, ...rest }: IssueLineProps) {
  const { sample, counts, levels } = issue;
  const level = levels.error > 0 ? 'error' : 'warn';
  return (
    <li className="relative grid gap-x-4 gap-y-1.5 border-b border-line/55 py-3 pr-3 pl-4 text-[0.82rem] last:border-b-0 md:grid-cols-[minmax(0,1fr)_8rem_auto] md:items-center">
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-[3px] ${levelLooks[level].fill}`} />
      <div className="grid min-w-0 gap-1">
        <Link
          to="/projects/$project/logs"
          params={{ project: rest.project }}
          search={{ query: toggleOnly('', 'pattern', nameValues(issue)), range: rangeOf(days) }}
          title={sample}
          className="line-clamp-2 min-h-6 phone:min-h-11 font-mono text-[0.8rem] wrap-anywhere hover:underline"
        >
          <bdi>
            <Template found={issue} />
          </bdi>
        </Link>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.76rem] text-muted">
          <IssueFacts issue={issue} />
        </p>
      </div>
      <div className="grid gap-0.5">
        <Sparkline counts={counts} variable={levelLooks[level].variable} />
        <p className="text-right tabular-nums" title={countThings(issue.entries, 'entry', 'entries')}>
          {formatCount(issue.entries)}{' '}
          <span className="text-muted">{issue.entries === 1 ? 'time' : 'times'}</span>
        </p>
      </div>
      <Actions {...rest} issue={issue} />
    </li>
  );
}

function Actions({ project, issue, isBusy, onDecide, mayAlert }: Omit<IssueLineProps, 'days'>) {
  const { template, state } = issue;
  const about = template || 'entries without text';
  return (
    <div className="flex flex-wrap justify-end gap-1.5">
      {onDecide &&
        decisions[state].map(([chosen, name]) => (
          <Button
            key={chosen}
            size="small"
            busy={isBusy}
            aria-label={`${name}: ${about}`}
            onClick={() => onDecide(chosen)}
          >
            {name}
          </Button>
        ))}
      {mayAlert && (
        <Link
          to="/projects/$project/alerts/new"
          params={{ project }}
          search={{
            query: toggleOnly('', 'pattern', nameValues(issue)),
            name: template.slice(0, nameCharactersMax) || undefined,
          }}
          aria-label={`Alert me about ${about}`}
          title="Alert me about this"
          className={styleButton({ size: 'icon' })}
        >
          <Icon name="bell" className="size-3.5" />
        </Link>
      )}
    </div>
  );
}

const nameCharactersMax = 60; // the text may be long

function rangeOf(days: number): string | undefined {
  return days === 1 ? undefined : `${days}d`;
}
