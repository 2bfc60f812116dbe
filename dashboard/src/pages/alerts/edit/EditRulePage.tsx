/** Edits an existing rule. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { isolate } from '../../../format/direction.ts';
import { useDraft } from '../../../queries/drafts.ts';
import { useProject } from '../../../queries/projects.ts';
import { type NewRule, ruleQuery, useRuleChange } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button, styleButton } from '../../../ui/Button.tsx';
import { useEver } from '../../../ui/hooks/useEver.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHead } from '../../../ui/PageHead.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { draftOf } from './draft.ts';
import { RuleEditor } from './RuleEditor.tsx';

export function EditRulePage() {
  const { project, rule: id } = useParams({ from: '/inside/projects/$project/alerts/$rule/edit' });
  const { data: rule } = useSuspenseQuery(ruleQuery(project, id));
  const [begun, setBegun] = useDraft({ project, form: `rule ${id}` }, () => draftOf(rule));
  const current = draftOf(rule);
  const begunText = JSON.stringify(begun);
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const isShown = useEver(mayChange); // a form stays when its author loses the role
  const navigate = useNavigate();
  const change = useRuleChange(project);
  const place = { to: '/projects/$project/alerts/$rule', params: { project, rule: id } } as const;
  const save = (changes: NewRule) =>
    change.mutate(
      { id, changes },
      {
        onSuccess: () => {
          showToast('Saved');
          void navigate({ ...place, replace: true, ignoreBlocker: true });
        },
      },
    );
  return (
    <>
      <PageHead
        title={`Change ${isolate(rule.name)}`}
        about="Changing the condition restarts the rule: current alerts are cleared."
      />
      {mayChange && !change.isPending && !change.isSuccess && JSON.stringify(current) !== begunText && (
        <div className="mb-6">
          <Notice look="warning">
            This rule was changed elsewhere since you opened it. Saving here replaces that change.{' '}
            <Button size="small" onClick={() => setBegun(current)}>
              Show the changed rule
            </Button>
          </Notice>
        </div>
      )}
      {isShown ? (
        <RuleEditor
          key={begunText}
          project={project}
          begun={begun}
          mayChange={mayChange}
          action="Save"
          busy={change.isPending}
          error={change.error}
          onSave={save}
          cancelLink={
            <Link {...place} className={styleButton()}>
              Cancel
            </Link>
          }
        />
      ) : (
        <Notice look="plain">Only admins can change rules.</Notice>
      )}
    </>
  );
}
