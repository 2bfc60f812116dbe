/** The page of a rule: its state, firing values, last week, history and notifications. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useProject } from '../../../queries/projects.ts';
import { type Rule, ruleQuery } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button, styleButton } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHead } from '../../../ui/PageHead.tsx';
import { RuleDeliveries } from '../deliveries/RuleDeliveries.tsx';
import { RuleMenu } from '../RuleMenu.tsx';
import { RuleStateBadge } from '../RuleStateBadge.tsx';
import { RuleSummary } from '../RuleSummary.tsx';
import { type RuleActions, useRuleActions } from '../ruleActions.ts';
import { FiringValues } from './FiringValues.tsx';
import { RuleFacts } from './RuleFacts.tsx';
import { RuleHistory } from './RuleHistory.tsx';
import { RuleWeek } from './RuleWeek.tsx';

export function RulePage() {
  const { project, rule: id } = useParams({ from: '/inside/projects/$project/alerts/$rule' });
  const { data: rule } = useSuspenseQuery(ruleQuery(project, id));
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const actions = useRuleActions(project);
  return (
    <>
      <Link
        to="/projects/$project/alerts"
        params={{ project }}
        className="mb-2 inline-flex min-h-6 items-center gap-1 text-sm text-muted hover:text-ink"
      >
        <Icon name="left" className="size-3.5" />
        Alerts
      </Link>
      <PageHead
        title={rule.name}
        about={
          <>
            Fires on <RuleSummary rule={rule} />
          </>
        }
        actions={mayChange && <Actions project={project} rule={rule} actions={actions} />}
      />
      <div className="grid max-w-5xl grid-cols-[minmax(0,1fr)] gap-6">
        {actions.error && <Notice look="error">{actions.error.message}</Notice>}
        {rule.trouble !== null && rule.enabled && <EvaluationError trouble={rule.trouble} />}
        {rule.enabled &&
          rule.warnings.map(({ code, message }) => (
            <Notice key={code} look="warning">
              {message}
            </Notice>
          ))}
        <div className="flex flex-wrap items-start gap-x-10 gap-y-4 rounded-xl border border-line bg-panel px-5 py-4 text-sm shadow-panel">
          <RuleStateBadge rule={rule} />
          <RuleFacts project={project} rule={rule} />
        </div>
        {rule.firing.length > 0 && <FiringValues project={project} rule={rule} mayChange={mayChange} />}
        <RuleWeek project={project} rule={rule} />
        <RuleHistory project={project} rule={rule} />
        <RuleDeliveries project={project} rule={rule.id} />
      </div>
    </>
  );
}

function EvaluationError({ trouble }: { trouble: string }) {
  return (
    <Notice look="warning">
      This rule can’t be evaluated right now. It is retried every minute and won’t notify anyone until then.{' '}
      {trouble}
    </Notice>
  );
}

type ActionsProps = { project: string; rule: Rule; actions: RuleActions };

function Actions({ project, rule, actions }: ActionsProps) {
  const navigate = useNavigate();
  const params = { project };
  return (
    <>
      <Link
        to="/projects/$project/alerts/$rule/edit"
        params={{ project, rule: rule.id }}
        className={styleButton()}
      >
        <Icon name="pencil" />
        Edit
      </Link>
      <RuleMenu
        project={project}
        rule={rule}
        actions={actions}
        trigger={
          <Button>
            Mute and more
            <Icon name="down" className="size-3" />
          </Button>
        }
        onDeleted={() => void navigate({ to: '/projects/$project/alerts', params, replace: true })}
      />
    </>
  );
}
