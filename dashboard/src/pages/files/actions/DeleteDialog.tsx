/** Asks before moving files to the trash, or deleting them forever if there is none. */
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { countThings } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { useFilesDeletion } from '../../../queries/fileChanges.ts';
import { useProject } from '../../../queries/projects.ts';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog.tsx';
import type { ActionDialogProps } from './fileActions.ts';
import { announceOutcome, describeFailures } from './outcomes.ts';

type DeleteDialogProps = ActionDialogProps & {
  /** Deletes forever even if there is a trash. */
  isForever: boolean;
  onDeleted: () => void;
};

export function DeleteDialog({ project, files, open, onClose, isForever, onDeleted }: DeleteDialogProps) {
  const { trashDays } = useProject(project);
  const deletion = useFilesDeletion(project);
  const [failure, setFailure] = useState<Error | null>(null);
  const isTrashing = trashDays !== null && !isForever;
  const done = isTrashing ? 'moved to the trash' : 'deleted';
  const remove = () =>
    deletion.mutate(
      { ids: files.map(({ id }) => id), isForever },
      {
        onSuccess: outcome => {
          const sentence = describeFailures(outcome, done);
          if (sentence !== null) return setFailure(new Error(sentence));
          onClose();
          onDeleted();
          announceOutcome(outcome, done);
        },
      },
    );
  const [only] = files;
  const name = files.length === 1 && only ? isolate(only.filename) : countThings(files.length, 'file');
  const bytes = formatBytes(files.reduce((sum, { size }) => sum + size, 0));
  return (
    <ConfirmDialog
      title={isTrashing ? `Move ${name} to the trash?` : `Delete ${name}${isForever ? ' forever' : ''}?`}
      action={isTrashing ? 'Move to trash' : isForever ? 'Delete forever' : 'Delete'}
      open={open}
      onClose={onClose}
      onConfirm={remove}
      busy={deletion.isPending}
      error={failure ?? deletion.error}
    >
      {isTrashing ? (
        <p>
          Links stop working immediately. You can restore {files.length === 1 ? 'it' : 'them'} with the same
          URL for {countThings(trashDays, 'day')}. Until then {bytes} still count toward the quota.
        </p>
      ) : (
        <p>{bytes} are deleted immediately and links stop working. This can’t be undone.</p>
      )}
    </ConfirmDialog>
  );
}
