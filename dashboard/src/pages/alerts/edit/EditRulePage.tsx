/** A rule that is there already, to be changed. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { useProject } from '../../../queries/projects.ts';
import { type NewRule, ruleQuery, useRuleChange } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { styleButton } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHead } from '../../../ui/PageHead.tsx';
import { say } from '../../../ui/Toasts.tsx';
import { draftOf } from './draft.ts';
import { RuleEditor } from './RuleEditor.tsx';

export function EditRulePage() {
  const { project, rule: id } = useParams({ from: '/inside/projects/$project/alerts/$rule/edit' });
  const { data: rule } = useSuspenseQuery(ruleQuery(project, id));
  const [begun] = useState(() => draftOf(rule));
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const navigate = useNavigate();
  const change = useRuleChange(project);
  const place = { to: '/projects/$project/alerts/$rule', params: { project, rule: id } } as const;
  const save = (changes: NewRule) =>
    change.mutate(
      { id, changes },
      {
        onSuccess: () => {
          say('Saved');
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
      {mayChange ? (
        <RuleEditor
          project={project}
          begun={begun}
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
