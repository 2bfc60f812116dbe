/** Sets a dataset's retention. Before this deletes old entries, it shows their number and asks. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { countThings } from '../../format/numbers.ts';
import { agedEntriesQuery, type Dataset, useRetentionChange } from '../../queries/datasets.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { DaysField } from '../../ui/forms/DaysField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { showToast } from '../../ui/Toasts.tsx';

type RetentionDialogProps = { project: string; dataset: Dataset; onClose: () => void };

export function RetentionDialog({ project, dataset, onClose }: RetentionDialogProps) {
  const [days, setDays] = useState(dataset.retentionDays === null ? '' : String(dataset.retentionDays));
  const [asking, setAsking] = useState(false);
  const change = useRetentionChange(project);
  const retentionDays = days === '' ? null : Number(days);
  const isShorter = retentionDays !== null && retentionDays < (dataset.retentionDays ?? Infinity);
  const save = () => {
    const onSuccess = () => {
      showToast('Saved');
      onClose();
    };
    change.mutate({ dataset: dataset.name, retentionDays }, { onSuccess });
  };
  return (
    <Dialog
      title={`How long ${dataset.name} is kept`}
      about="Entries older than this, including existing ones, are deleted within an hour. Leave empty to keep them forever."
      open
      onClose={onClose}
    >
      <DialogForm
        action="Save"
        busy={change.isPending}
        error={change.error?.message}
        onSubmit={() => (isShorter ? setAsking(true) : save())}
        onCancel={onClose}
      >
        <DaysField label="Keep entries for" days={days} onChange={setDays} />
      </DialogForm>
      <ShorteningQuestion
        project={project}
        change={change}
        dataset={dataset.name}
        days={retentionDays ?? 0}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={save}
      />
    </Dialog>
  );
}

type ShorteningQuestionProps = {
  project: string;
  dataset: string;
  days: number;
  change: Pick<ReturnType<typeof useRetentionChange>, 'isPending' | 'error'>;
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

/** Can be confirmed once the entries are counted, or if they can’t be. */
function ShorteningQuestion({ project, dataset, days, change, ...question }: ShorteningQuestionProps) {
  const { data, error } = useQuery({ ...agedEntriesQuery(project, dataset, days), enabled: question.open });
  return (
    <ConfirmDialog
      {...question}
      title={`Keep ${dataset} for ${countThings(days, 'day')}?`}
      action="Shorten retention"
      busy={change.isPending}
      disabled={data === undefined && error === null}
      error={change.error}
    >
      <Loss counted={data} error={error} />
    </ConfirmDialog>
  );
}

type LossProps = { counted: number | undefined; error: Error | null };

function Loss({ counted, error }: LossProps) {
  if (error) return <Notice look="error">Couldn’t count the entries to be deleted: {error.message}</Notice>;
  if (counted === undefined) return <Spinner label="Counting" />;
  if (counted === 0)
    return <p>No entries are that old yet. Entries will be deleted once they reach this age.</p>;
  return (
    <p>
      <strong className="font-medium text-ink">{countThings(counted, 'entry', 'entries')}</strong>{' '}
      {counted === 1 ? 'is' : 'are'} older and will be deleted within an hour. This can’t be undone.
    </p>
  );
}
