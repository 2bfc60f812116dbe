/** Asks before a file goes: its URL stands in places nobody here knows of. */

import { isolate } from '../../format/direction.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { useFileDeletion } from '../../queries/files.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { say } from '../../ui/Toasts.tsx';

type DeleteFileDialogProps = {
  project: string;
  file: FileRecord | null;
  onClose: () => void;
  onDeleted: () => void;
};

export function DeleteFileDialog({ project, file, onClose, onDeleted }: DeleteFileDialogProps) {
  const shown = useLastValue(file);
  const deletion = useFileDeletion(project);
  const close = () => {
    deletion.reset();
    onClose();
  };
  const remove = () => {
    const onSuccess = () => {
      close();
      onDeleted();
      say(`${isolate(shown?.filename ?? 'File')} deleted`);
    };
    if (file) deletion.mutate(file.id, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`Delete ${isolate(shown?.filename ?? 'this file')}?`}
      action="Delete file"
      open={file !== null}
      onClose={close}
      onConfirm={remove}
      busy={deletion.isPending}
      error={deletion.error}
    >
      <p>The file is deleted immediately and its links stop working. This can’t be undone.</p>
    </ConfirmDialog>
  );
}
