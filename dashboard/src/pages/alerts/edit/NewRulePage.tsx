/** Creates a rule, starting with the values in the address. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { channelsQuery } from '../../../queries/channels.ts';
import { useProject } from '../../../queries/projects.ts';
import { type NewRule, useRuleCreation } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { styleButton } from '../../../ui/Button.tsx';
import { useEver } from '../../../ui/hooks/useEver.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHead } from '../../../ui/PageHead.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { beginDraft } from './draft.ts';
import { RuleEditor } from './RuleEditor.tsx';

export function NewRulePage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/new' });
  const search = useSearch({ from: '/inside/projects/$project/alerts/new' });
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  // A single channel is preselected.
  const [begun] = useState(() =>
    beginDraft(search, channels.length === 1 ? channels.map(({ id }) => id) : []),
  );
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const isShown = useEver(mayChange); // a form stays when its author loses the role
  const navigate = useNavigate();
  const creation = useRuleCreation(project);
  const save = (rule: NewRule) =>
    creation.mutate(rule, {
      onSuccess: ({ id }) => {
        showToast('Rule created');
        void navigate({
          to: '/projects/$project/alerts/$rule',
          params: { project, rule: id },
          replace: true,
          ignoreBlocker: true,
        });
      },
    });
  return (
    <>
      <PageHead title="New rule" about="It checks new data from now on." />
      {isShown ? (
        <RuleEditor
          project={project}
          begun={begun}
          mayChange={mayChange}
          action="Create rule"
          busy={creation.isPending}
          error={creation.error}
          onSave={save}
          cancelLink={
            <Link to="/projects/$project/alerts" params={{ project }} className={styleButton()}>
              Cancel
            </Link>
          }
        />
      ) : (
        <Notice look="plain">Only admins can create rules.</Notice>
      )}
    </>
  );
}
