/** Suggests three first rules, based on the project's data. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { countThings } from '../../format/numbers.ts';
import { countQuery } from '../../queries/logCounts.ts';
import { patternsQuery } from '../../queries/logPatterns.ts';
import { liveSessionsQuery } from '../../queries/sessions.ts';
import { styleButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { composeLogQuestion, keyOf } from '../logs/search.ts';
import type { NewRuleSearch } from './edit/newRule.ts';

type EmptyRulesProps = { project: string; mayChange: boolean };

export function EmptyRules({ project, mayChange }: EmptyRulesProps) {
  if (!mayChange) return <EmptyState title="No rules yet">Ask an admin to create one.</EmptyState>;
  return (
    <EmptyState
      title="No rules yet"
      action={
        <div className="mt-2 grid w-full max-w-4xl gap-4">
          <ul aria-label="Suggested rules" className="grid gap-3 text-left md:grid-cols-3">
            <Errors project={project} />
            <QuietServer project={project} />
            <News project={project} />
          </ul>
          <Link
            to="/projects/$project/alerts/new"
            params={{ project }}
            className={`${styleButton({ look: 'primary' })} justify-self-center`}
          >
            <Icon name="plus" />
            New rule
          </Link>
        </div>
      }
    >
      A rule checks new data and notifies you when something needs attention. Start with one of these, or
      write your own.
    </EmptyState>
  );
}

const lastWeek = { range: '7d' };

function Errors({ project }: { project: string }) {
  const search = { ...lastWeek, query: 'level:error' };
  const asking = { key: keyOf(search), question: () => composeLogQuestion(search, Date.now()) };
  const { data } = useQuery(countQuery(project, asking));
  return (
    <Suggestion
      project={project}
      icon={'warning'}
      title={'Many errors'}
      search={{ want: 'many', query: 'level:error', name: 'Many errors' }}
    >
      {data === undefined ? '…' : `${countThings(data, 'error')} in the last seven days.`} Be notified when
      they pile up.
    </Suggestion>
  );
}

function QuietServer({ project }: { project: string }) {
  const { data } = useQuery(liveSessionsQuery(project));
  return (
    <Suggestion
      project={project}
      icon={'plug'}
      title={'A server went silent'}
      search={{ want: 'quiet', name: 'A server went silent' }}
    >
      {data === undefined ? '…' : `${countThings(data.length, 'server reports', 'servers report')} now.`} Be
      notified when one stops reporting.
    </Suggestion>
  );
}

function News({ project }: { project: string }) {
  const asking = { key: keyOf(lastWeek), question: () => composeLogQuestion(lastWeek, Date.now()) };
  const { data } = useQuery(patternsQuery(project, { ...asking, isNew: true, isFollowed: false }));
  return (
    <Suggestion
      project={project}
      icon={'plus'}
      title={'Something new'}
      search={{ want: 'new', name: 'Something new' }}
    >
      {data === undefined ? '…' : `${countThings(data.total, 'new message')} in the last seven days.`} Be
      notified of messages never seen before.
    </Suggestion>
  );
}

type SuggestionProps = {
  project: string;
  icon: IconName;
  title: string;
  search: NewRuleSearch;
  children: ReactNode;
};

function Suggestion({ project, icon, title, search, children }: SuggestionProps) {
  return (
    <li className="grid">
      <Link
        to="/projects/$project/alerts/new"
        params={{ project }}
        search={search}
        className="grid content-start gap-1 rounded-xl border border-line bg-panel px-4 py-3 shadow-panel transition-colors hover:border-edge"
      >
        <span className="flex items-center gap-2 font-medium">
          <Icon name={icon} className="text-accent" />
          {title}
        </span>
        <span className="text-sm text-muted">{children}</span>
      </Link>
    </li>
  );
}
