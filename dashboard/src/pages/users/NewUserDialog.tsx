/** Makes a user, with a first role in a project if one is chosen. */
import { Dialog } from '../../widgets/Dialog.tsx';
import { NewUserForm } from './NewUserForm.tsx';

type NewUserDialogProps = { open: boolean; onClose: () => void };

export function NewUserDialog({ open, onClose }: NewUserDialogProps) {
  return (
    <Dialog
      title="New user"
      about="Hand them the password yourself; they can change it after signing in."
      open={open}
      onClose={onClose}
      closesLightly={false}
    >
      <NewUserForm onDone={onClose} />
    </Dialog>
  );
}
