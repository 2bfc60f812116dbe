/** Lists a project's rules, firing ones first. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { channelsQuery } from '../../queries/channels.ts';
import { useProject } from '../../queries/projects.ts';
import { rulesQuery } from '../../queries/rules.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { styleButton } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { AlertsHead } from './AlertsHead.tsx';
import { makeRuleColumns } from './columns.tsx';
import { EmptyRules } from './EmptyRules.tsx';
import { useRuleActions } from './ruleActions.ts';
import { sortRules } from './ruleState.ts';

export function RulesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/' });
  const { data: rules } = useSuspenseQuery(rulesQuery(project));
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const actions = useRuleActions(project);
  const sorted = useMemo(() => sortRules(rules), [rules]);
  const columns = makeRuleColumns({ project, channels, actions: mayChange ? actions : null });
  return (
    <>
      <AlertsHead
        project={project}
        about="Rules check new data and send alerts to channels."
        actions={
          rules.length > 0 &&
          mayChange && (
            <Link
              to="/projects/$project/alerts/new"
              params={{ project }}
              className={styleButton({ look: 'primary' })}
            >
              <Icon name="plus" />
              New rule
            </Link>
          )
        }
      />
      {rules.length === 0 ? (
        <EmptyRules project={project} mayChange={mayChange} />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          {channels.length === 0 && <NoChannels project={project} />}
          {actions.error && <Notice look="error">{actions.error.message}</Notice>}
          <DataTable label="Rules" rows={sorted} columns={columns} rowId={rule => rule.id} />
        </div>
      )}
    </>
  );
}

function NoChannels({ project }: { project: string }) {
  return (
    <Notice look="warning">
      Rules can fire, but no one is notified: there is no channel yet.{' '}
      <Link
        to="/projects/$project/alerts/channels"
        params={{ project }}
        className="underline decoration-edge underline-offset-3 hover:decoration-ink"
      >
        Create one
      </Link>
    </Notice>
  );
}
