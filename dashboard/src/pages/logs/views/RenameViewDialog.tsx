/** Renames a view. */
import { limits } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { type LogView, useViewChange } from '../../../queries/logViews.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { Form } from '../../../ui/forms/Form.tsx';
import { TextField } from '../../../ui/forms/TextField.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { say } from '../../../ui/Toasts.tsx';

type RenameViewDialogProps = { project: string; view: LogView; onClose: () => void };

export function RenameViewDialog({ project, view, onClose }: RenameViewDialogProps) {
  const [name, setName] = useState(view.name);
  const change = useViewChange(project);
  const failure = placeErrors(change.error, ['name']);
  const rename = () => {
    const onSuccess = () => {
      say('View renamed');
      onClose();
    };
    change.mutate({ id: view.id, name: name.trim() }, { onSuccess });
  };
  return (
    <Dialog title="Rename view" about="Everyone in the project sees the new name." open onClose={onClose}>
      <DialogBody>
        <Form id="rename-view" onSubmit={rename}>
          <TextField
            label="Name"
            required
            maxLength={limits.nameCharactersMax}
            autoComplete="off"
            autoFocus
            value={name}
            onChange={setName}
            error={failure.at('name')}
          />
          {failure.rest && <Notice look="error">{failure.rest}</Notice>}
        </Form>
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form="rename-view" look="primary" busy={change.isPending}>
          Rename
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
