/** The shortest way to ShareX: one click creates a token and saves the settings file with it. */
import type { Project } from '../../queries/projects.ts';
import { useShareXUploader } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { saveText } from './savedText.ts';

export function ShareXButton({ project, folder }: { project: Project; folder: string }) {
  const making = useShareXUploader(project.project);
  if (!isRoleAtLeast(project.role, 'member')) return null;
  const make = () =>
    making.mutate(folder === '' ? {} : { path: folder }, {
      onSuccess: uploader => saveText(`${project.project}.sxcu`, JSON.stringify(uploader, null, 2)),
    });
  return (
    <div className="grid gap-2">
      {making.error && <Notice look="error">{making.error.message}</Notice>}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button look="primary" busy={making.isPending} onClick={make}>
          <Icon name="download" />
          Download with a new token
        </Button>
        <span className="text-sm text-muted">Double-click the file, and ShareX uploads here.</span>
      </div>
    </div>
  );
}
