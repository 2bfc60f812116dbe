/** Deletes the project once the user has typed its slug. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { isolate } from '../../format/direction.ts';
import { type Project, projectsQuery } from '../../queries/projects.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { showToast } from '../../ui/Toasts.tsx';

export function DeleteProject({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const deletion = useDeletion(project);
  const close = () => {
    deletion.reset();
    setAsking(false);
    setTyped('');
  };
  return (
    <>
      <Panel
        title="Delete the project"
        about="Its tokens stop working immediately, its files and logs are deleted, and its slug can’t be reused."
        actions={
          <Button look="risky" onClick={() => setAsking(true)}>
            Delete…
          </Button>
        }
      />
      <ConfirmDialog
        title={`Delete ${isolate(project.name)}?`}
        action="Delete project"
        open={asking}
        onClose={close}
        onConfirm={() => deletion.mutate()}
        busy={deletion.isPending}
        error={deletion.error}
        disabled={typed !== project.project}
      >
        <p>
          Programs using its tokens are refused within a second. All its files and logs are deleted. This
          can’t be undone.
        </p>
        <div className="text-ink">
          <TextField
            label={
              <>
                Type <span className="font-mono">{project.project}</span> to confirm
              </>
            }
            mono
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={setTyped}
          />
        </div>
      </ConfirmDialog>
    </>
  );
}

function useDeletion({ project, name }: Project) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => api.deleteProject({ params: { project } }),
    onSuccess: async () => {
      queries.setQueryData(projectsQuery.queryKey, projects =>
        projects?.filter(each => each.project !== project),
      );
      await navigate({ to: '/' });
      queries.removeQueries({ queryKey: ['projects', project] });
      showToast(`${isolate(name)} deleted`);
    },
  });
}
