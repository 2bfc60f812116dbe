/** Asks before several files go. */

import { countThings } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { useFilesDeletion } from '../../queries/files.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { say } from '../../ui/Toasts.tsx';

type DeleteFilesDialogProps = {
  project: string;
  files: readonly FileRecord[];
  open: boolean;
  onClose: () => void;
  onDeleted: () => void;
};

export function DeleteFilesDialog({ project, files, open, onClose, onDeleted }: DeleteFilesDialogProps) {
  const shown = useLastValue(open ? files : null) ?? [];
  const deletion = useFilesDeletion(project);
  const close = () => {
    deletion.reset();
    onClose();
  };
  const remove = () => {
    const onSuccess = (count: number) => {
      close();
      onDeleted();
      say(`${countThings(count, 'file')} deleted`);
    };
    deletion.mutate(
      shown.map(({ id }) => id),
      { onSuccess },
    );
  };
  const count = countThings(shown.length, 'file');
  const bytes = shown.reduce((sum, { size }) => sum + size, 0);
  return (
    <ConfirmDialog
      title={`Delete ${count}?`}
      action={`Delete ${count}`}
      open={open}
      onClose={close}
      onConfirm={remove}
      busy={deletion.isPending}
      error={deletion.error}
    >
      <p>
        {shown.length === 1 ? 'The file is' : 'The files are'} deleted immediately ({formatBytes(bytes)}) and{' '}
        {shown.length === 1 ? 'its' : 'their'} links stop working. This can’t be undone.
      </p>
    </ConfirmDialog>
  );
}
