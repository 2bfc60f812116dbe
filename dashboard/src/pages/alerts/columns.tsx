/** Columns of the list of rules. */
import { Link } from '@tanstack/react-router';
import type { Channel } from '../../queries/channels.ts';
import type { Rule } from '../../queries/rules.ts';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { RuleMenu } from './RuleMenu.tsx';
import { RuleStateBadge } from './RuleStateBadge.tsx';
import { RuleSummary } from './RuleSummary.tsx';
import type { RuleActions } from './ruleActions.ts';
import { SeverityBadge } from './SeverityBadge.tsx';

type ColumnsProps = {
  project: string;
  channels: readonly Channel[];
  /** null if the user may only view. */
  actions: RuleActions | null;
};

export function makeRuleColumns({ project, channels, actions }: ColumnsProps): readonly Column<Rule>[] {
  const columns: Column<Rule>[] = [
    { id: 'rule', title: 'Rule', cell: rule => <NameCell project={project} rule={rule} /> },
    { id: 'state', title: 'State', cell: rule => <RuleStateBadge rule={rule} /> },
    {
      id: 'fired',
      title: 'Last fired',
      cell: ({ lastFiredAt }) =>
        lastFiredAt ? <Timestamp at={lastFiredAt} /> : <span className="text-muted">never</span>,
    },
    { id: 'channels', title: 'Notifies', cell: rule => <ChannelsCell rule={rule} channels={channels} /> },
  ];
  if (actions) {
    columns.push({
      id: 'menu',
      title: '',
      cell: rule => (
        <RuleMenu
          project={project}
          rule={rule}
          actions={actions}
          trigger={
            <Button look="quiet" size="icon" aria-label={`Actions for ${rule.name}`}>
              <Icon name="more" />
            </Button>
          }
        />
      ),
    });
  }
  return columns;
}

function NameCell({ project, rule }: { project: string; rule: Rule }) {
  return (
    <div className="grid min-w-52 gap-0.5">
      <Link
        to="/projects/$project/alerts/$rule"
        params={{ project, rule: rule.id }}
        className="min-h-[24px] justify-self-start font-medium wrap-anywhere hover:underline"
      >
        {rule.name}
      </Link>
      <span>
        <SeverityBadge severity={rule.severity} />
      </span>
      <span className="text-[0.82rem] text-pretty text-muted">
        <RuleSummary rule={rule} />
      </span>
    </div>
  );
}

function ChannelsCell({ rule, channels }: { rule: Rule; channels: readonly Channel[] }) {
  const told = channels.filter(({ id }) => rule.channels.includes(id));
  if (told.length === 0) return <span className="text-muted">no one</span>;
  return (
    <ul className="grid gap-0.5">
      {told.map(({ id, name, enabled }) => (
        <li key={id} className="wrap-anywhere">
          {name}
          {!enabled && <span className="text-danger"> (off)</span>}
        </li>
      ))}
    </ul>
  );
}
