/** Creates a user, optionally with a role in a project. */
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { type KnownOfUser, NewUserForm } from './NewUserForm.tsx';

type NewUserDialogProps = { open: boolean; known: KnownOfUser; onClose: () => void };

export function NewUserDialog({ open, known, onClose }: NewUserDialogProps) {
  return (
    <Dialog
      title="New user"
      about="Give them the password yourself. They can change it after signing in."
      open={open}
      onClose={onClose}
      closesLightly={false}
    >
      <NewUserForm known={known} onDone={onClose} />
    </Dialog>
  );
}
