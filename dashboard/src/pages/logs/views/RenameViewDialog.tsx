/** Gives a view another name. */
import { limits } from '@tapedeck/client';
import { useState } from 'react';
import { Button } from '../../../parts/Button.tsx';
import { Form } from '../../../parts/Form.tsx';
import { Notice } from '../../../parts/Notice.tsx';
import { TextField } from '../../../parts/TextField.tsx';
import { say } from '../../../parts/Toasts.tsx';
import { type LogView, useViewChange } from '../../../queries/logViews.ts';
import { placeFailure } from '../../../text/failures.ts';
import { Dialog, DialogBody, DialogButtons } from '../../../widgets/Dialog.tsx';

type RenameViewDialogProps = { project: string; view: LogView; onClose: () => void };

export function RenameViewDialog({ project, view, onClose }: RenameViewDialogProps) {
  const [name, setName] = useState(view.name);
  const change = useViewChange(project);
  const failure = placeFailure(change.error, ['name']);
  const rename = () => {
    const onSuccess = () => {
      say('View renamed');
      onClose();
    };
    change.mutate({ id: view.id, name: name.trim() }, { onSuccess });
  };
  return (
    <Dialog
      title="Rename the view"
      about="Everybody in the project sees its new name."
      open
      onClose={onClose}
    >
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
