/** How long a dataset keeps its entries. */
import { useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { DaysField } from '../../parts/DaysField.tsx';
import { Form } from '../../parts/Form.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { say } from '../../parts/Toasts.tsx';
import { type Dataset, useRetentionChange } from '../../queries/datasets.ts';
import { Dialog, DialogBody, DialogButtons } from '../../widgets/Dialog.tsx';

type RetentionDialogProps = { project: string; dataset: Dataset; onClose: () => void };

export function RetentionDialog({ project, dataset, onClose }: RetentionDialogProps) {
  const [days, setDays] = useState(dataset.retentionDays === null ? '' : String(dataset.retentionDays));
  const change = useRetentionChange(project);
  const save = () => {
    const onSuccess = () => {
      say('Saved');
      onClose();
    };
    const retentionDays = days === '' ? null : Number(days);
    change.mutate({ dataset: dataset.name, retentionDays }, { onSuccess });
  };
  return (
    <Dialog
      title={`How long ${dataset.name} is kept`}
      about="Older entries are deleted within the hour, those that are there already included. An empty field keeps them for ever."
      open
      onClose={onClose}
    >
      <DialogBody>
        <Form id="dataset-retention" onSubmit={save}>
          <DaysField label="Keep entries for" days={days} onChange={setDays} />
          {change.error && <Notice look="error">{change.error.message}</Notice>}
        </Form>
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form="dataset-retention" look="primary" busy={change.isPending}>
          Save
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
