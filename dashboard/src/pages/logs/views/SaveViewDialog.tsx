/** Saves a search as a new view, or over an existing one. */
import { useState } from 'react';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { type LogView, useViewChange, useViewCreation } from '../../../queries/logViews.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../../ui/dialogs/DialogForm.tsx';
import { Switch } from '../../../ui/forms/Switch.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { type LogSearch, writeView } from '../search.ts';
import { isPinned, keepPin, listPinned, pin, pinsMax } from './pins.ts';
import { ViewNameField } from './ViewNameField.tsx';

type SaveViewDialogProps = {
  project: string;
  search: LogSearch;
  views: readonly LogView[];
  onSaved: (view: LogView) => void;
  onClose: () => void;
  /** The chart's name, when saving a chart. */
  chart?: string;
};

export function SaveViewDialog({ project, search, views, onSaved, onClose, chart }: SaveViewDialogProps) {
  const [name, setName] = useState(chart ?? '');
  const [isOnHome, setIsOnHome] = useState(chart !== undefined);
  const creation = useViewCreation(project);
  const change = useViewChange(project);
  const existing = views.find(view => view.name === name.trim());
  const failure = placeErrors(creation.error ?? change.error, ['name']);
  const onSuccess = ({ view }: { view: LogView }) => {
    showToast(chart !== undefined && isOnHome ? 'Chart pinned to Home' : 'View saved');
    onSaved(view);
    onClose();
  };
  const save = () => {
    const plain = { query: writeView(search) };
    const isPinnedNow = existing !== undefined && isPinned(existing);
    const kept = existing === undefined ? plain.query : keepPin(existing, plain.query);
    const query = isOnHome && !isPinnedNow ? pin(plain, Date.now()) : kept;
    if (existing) change.mutate({ id: existing.id, query }, { onSuccess });
    else creation.mutate({ name: name.trim(), query }, { onSuccess });
  };
  return (
    <Dialog
      title={chart === undefined ? 'Save this search' : 'Save this chart'}
      about="Everyone in the project can use it."
      open
      onClose={onClose}
    >
      <DialogForm
        action={existing ? 'Replace view' : 'Save view'}
        busy={creation.isPending || change.isPending}
        error={failure.rest}
        onSubmit={save}
        onCancel={onClose}
      >
        <ViewNameField
          value={name}
          onChange={setName}
          error={failure.at('name')}
          hint={existing ? 'A view with this name exists. It will be replaced.' : undefined}
        />
        {listPinned(views).length < pinsMax && (
          <Switch label="Pin its chart to Home" checked={isOnHome} onChange={setIsOnHome} />
        )}
      </DialogForm>
    </Dialog>
  );
}
