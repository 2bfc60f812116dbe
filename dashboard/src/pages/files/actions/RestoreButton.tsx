/** Restores files from the trash, with their old URLs. */

import { useFilesRestoring } from '../../../queries/fileChanges.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { announceOutcome } from './outcomes.ts';

type RestoreButtonProps = {
  project: string;
  files: readonly FileRecord[];
  look: 'quiet' | 'plain';
  onDone: () => void;
};

export function RestoreButton({ project, files, look, onDone }: RestoreButtonProps) {
  const restoring = useFilesRestoring(project);
  const restore = () =>
    restoring.mutate(
      { ids: files.map(({ id }) => id) },
      {
        onSuccess: outcome => {
          announceOutcome(outcome, 'restored');
          onDone();
        },
      },
    );
  return (
    <Button look={look} size="small" busy={restoring.isPending} onClick={restore}>
      <Icon name="again" />
      Restore
    </Button>
  );
}
