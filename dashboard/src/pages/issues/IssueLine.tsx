/** One issue: what it says, how often and when, whom it affects, and what to do with it. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { countThings, formatCount } from '../../format/numbers.ts';
import { formatExact } from '../../format/times.ts';
import type { Decision, Issue } from '../../queries/issues.ts';
import { nameValues } from '../../queries/logPatterns.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, styleButton } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { levelLooks } from '../logs/levels.ts';
import { MergedCount } from '../logs/patterns/MergedCount.tsx';
import { Sparkline } from '../logs/patterns/Sparkline.tsx';
import { Template } from '../logs/patterns/Template.tsx';
import { toggleOnly } from '../logs/queryFilters.ts';

type IssueLineProps = {
  project: string;
  issue: Issue;
  days: number;
  isBusy: boolean;
  /** null: the user may not. */
  onDecide: ((state: Decision) => void) | null;
  /** The user may make a rule about it. */
  mayAlert: boolean;
};

/** Actions on an issue, by its state. */
export const decisions: Readonly<Record<Issue['state'], readonly (readonly [Decision, string])[]>> = {
  open: [
    ['resolved', 'Resolve'],
    ['ignored', 'Ignore'],
  ],
  returned: [
    ['resolved', 'Resolve'],
    ['ignored', 'Ignore'],
  ],
  resolved: [['open', 'Open again']],
  ignored: [['open', 'Open again']],
};

export function IssueLine({ days, issue, ...rest }: IssueLineProps) {
  const { sample, state, counts, levels } = issue;
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
          {state === 'returned' && <Badge look="accent">Came back</Badge>}
          <MergedCount found={issue} />
          <Affected issue={issue} />
          <Fact name="Last seen" at={issue.lastSeenAt} />
          <Fact name="First seen" at={issue.firstSeenAt} />
          <Decided issue={issue} />
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

const nameCharactersMax = 60; // of a text that may be long

function rangeOf(days: number): string | undefined {
  return days === 1 ? undefined : `${days}d`;
}

function Affected({ issue: { players, resources } }: { issue: Issue }): ReactNode {
  return (
    <>
      {players !== null && players > 0 && <span>{countThings(players, 'player')}</span>}
      {resources > 1 && <span>{countThings(resources, 'resource')}</span>}
    </>
  );
}

function Fact({ name, at }: { name: string; at: string }) {
  return (
    <span title={formatExact(at)}>
      {name} <Timestamp at={at} />
    </span>
  );
}

function Decided({ issue: { state, decidedAt, decidedBy } }: { issue: Issue }) {
  if (decidedAt === null) return null;
  return (
    <span>
      {state === 'ignored' ? 'Ignored' : 'Resolved'} <Timestamp at={decidedAt} />
      {decidedBy !== null && ` by ${decidedBy.replace(/^user /, '')}`}
    </span>
  );
}
