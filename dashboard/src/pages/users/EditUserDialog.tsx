/** Changes a user: name, address, ownership, and a new password if the old one is lost. */

import type { User } from '../../queries/users.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { EditUserForm } from './EditUserForm.tsx';

type EditUserDialogProps = { user: User | null; onClose: () => void; onDelete: (user: User) => void };

export function EditUserDialog({ user, onClose, onDelete }: EditUserDialogProps) {
  const shown = useLastValue(user);
  return (
    <Dialog title={shown?.name ?? ''} about={shown?.email} open={user !== null} onClose={onClose}>
      {shown && (
        <EditUserForm key={shown.id} user={shown} onDone={onClose} onDelete={() => onDelete(shown)} />
      )}
    </Dialog>
  );
}
