/** Creates a token: shows a form, then the token, once. */
import { useState } from 'react';
import type { Project } from '../../queries/projects.ts';
import { type ClosingQuestion, Dialog } from '../../ui/dialogs/Dialog.tsx';
import { SecretDialog } from '../../ui/dialogs/SecretDialog.tsx';
import { NewTokenForm } from './NewTokenForm.tsx';

type NewTokenDialogProps = { project: Project; open: boolean; onClose: () => void };

const uncopied: ClosingQuestion = {
  title: 'Close without the token?',
  action: 'Close without it',
  text: 'You haven’t copied it, and it can’t be shown again.',
};

export function NewTokenDialog({ project, open, onClose }: NewTokenDialogProps) {
  const [token, setToken] = useState<string | null>(null);
  const [copied, setCopied] = useState(false);
  const close = () => {
    onClose();
    setToken(null);
    setCopied(false);
  };
  return (
    <Dialog
      title={token === null ? 'New token' : 'Your new token'}
      about={
        token === null
          ? `For the project ${project.name}.`
          : 'It is shown only now. Store it with your other secrets.'
      }
      open={open}
      onClose={close}
      closesLightly={false}
      closingQuestion={token === null || copied ? null : uncopied}
    >
      {token === null ? (
        <NewTokenForm project={project} onCreated={setToken} onCancel={close} />
      ) : (
        <SecretDialog name="token" text={token} onCopied={() => setCopied(true)} onDone={close}>
          We store only a hash and can’t show it again. If you lose it, revoke it and create another.
        </SecretDialog>
      )}
    </Dialog>
  );
}
