/** Asks before deleting a dataset, and says how large it is. */
import { useQuery } from '@tanstack/react-query';
import { countThings } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { type Dataset, deletionQuery, useDatasetDeletion } from '../../queries/datasets.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { showToast } from '../../ui/Toasts.tsx';

type DeleteDatasetDialogProps = { project: string; dataset: Dataset | null; onClose: () => void };

export function DeleteDatasetDialog({ project, dataset, onClose }: DeleteDatasetDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(dataset, useDatasetDeletion(project), {
    onClose,
    onDone: ({ entries }) => showToast(`${countThings(entries, 'entry', 'entries')} deleted`),
  });
  const name = shown?.name ?? '';
  const { data, error } = useQuery({
    ...deletionQuery(project, name),
    enabled: dialog.open && !dialog.busy,
  });
  return (
    <ConfirmDialog
      title={`Delete the dataset ${name}?`}
      action="Delete dataset"
      disabled={data === undefined}
      {...dialog}
      onConfirm={() => confirm(name)}
    >
      {error && <Notice look="error">{error.message}</Notice>}
      {!data && !error && <Spinner label="Counting" />}
      {data && (
        <p>
          <strong className="font-medium text-ink">{countThings(data.entries, 'entry', 'entries')}</strong>{' '}
          (about {formatBytes(data.bytes)}) and the dataset’s retention setting will be deleted. This can’t be
          undone.
        </p>
      )}
      <p>It reappears if a program writes to it again.</p>
    </ConfirmDialog>
  );
}
