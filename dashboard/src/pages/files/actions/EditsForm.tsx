/** A dialog whose form applies the same edits to several files. */
import { type ReactNode, useState } from 'react';
import { type FileEdits, useFileEdits } from '../../../queries/fileChanges.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../../ui/dialogs/DialogForm.tsx';
import type { ActionDialogProps } from './fileActions.ts';
import { announceOutcome, describeFailures } from './outcomes.ts';

type EditsFormProps = ActionDialogProps & {
  title: string;
  about?: string;
  /** The submit button's verb. */
  action: string;
  /** The word for success: `moved`. */
  done: string;
  /** null if nothing changes. */
  compose: () => FileEdits | null;
  /** Opens the files' new place. */
  onShow?: () => void;
  children: ReactNode;
};

export function EditsForm(props: EditsFormProps) {
  const { project, files, open, onClose, title, about, action, done, compose, onShow, children } = props;
  const edit = useFileEdits(project);
  const [failure, setFailure] = useState<string | null>(null);
  const close = () => {
    edit.reset();
    setFailure(null);
    onClose();
  };
  const submit = () => {
    const edits = compose();
    if (edits === null) return close();
    edit.mutate(
      { ids: files.map(file => file.id), edits },
      {
        onSuccess: outcome => {
          if (outcome.failed > 0) return setFailure(describeFailures(outcome, done));
          close();
          announceOutcome(outcome, done, onShow);
        },
      },
    );
  };
  return (
    <Dialog title={title} {...(about !== undefined && { about })} open={open} onClose={close}>
      <DialogForm
        action={action}
        busy={edit.isPending}
        error={failure ?? edit.error?.message}
        onSubmit={submit}
        onCancel={close}
      >
        {children}
      </DialogForm>
    </Dialog>
  );
}
