/** Renames a view. */
import { useState } from 'react';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { type LogView, useViewChange } from '../../../queries/logViews.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../../ui/dialogs/DialogForm.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { ViewNameField } from './ViewNameField.tsx';

type RenameViewDialogProps = { project: string; view: LogView; onClose: () => void };

export function RenameViewDialog({ project, view, onClose }: RenameViewDialogProps) {
  const [name, setName] = useState(view.name);
  const change = useViewChange(project);
  const failure = placeErrors(change.error, ['name']);
  const rename = () => {
    const onSuccess = () => {
      showToast('View renamed');
      onClose();
    };
    change.mutate({ id: view.id, name: name.trim() }, { onSuccess });
  };
  return (
    <Dialog title="Rename view" about="Everyone in the project sees the new name." open onClose={onClose}>
      <DialogForm
        action="Rename"
        busy={change.isPending}
        error={failure.rest}
        onSubmit={rename}
        onCancel={onClose}
      >
        <ViewNameField value={name} onChange={setName} error={failure.at('name')} />
      </DialogForm>
    </Dialog>
  );
}
