/** Makes a token: first the form, then the token itself, which is shown this once. */
import { useState } from 'react';
import type { Project } from '../../queries/projects.ts';
import { Dialog } from '../../widgets/Dialog.tsx';
import { NewTokenForm } from './NewTokenForm.tsx';
import { ShownOnce } from './ShownOnce.tsx';

type NewTokenDialogProps = { project: Project; open: boolean; onClose: () => void };

export function NewTokenDialog({ project, open, onClose }: NewTokenDialogProps) {
  const [token, setToken] = useState<string | null>(null);
  const close = () => {
    onClose();
    setToken(null);
  };
  return (
    <Dialog
      title={token === null ? 'New token' : 'Here is the token'}
      about={
        token === null
          ? `For the project ${project.name}.`
          : 'It is shown this once. Keep it where secrets live.'
      }
      open={open}
      onClose={close}
      closesLightly={false}
    >
      {token === null ? (
        <NewTokenForm project={project} onCreated={setToken} onCancel={close} />
      ) : (
        <ShownOnce token={token} onDone={close} />
      )}
    </Dialog>
  );
}
