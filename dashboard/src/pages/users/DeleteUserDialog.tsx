/** Asks before a user is deleted. */

import { useLast } from '../../parts/last.ts';
import { say } from '../../parts/Toasts.tsx';
import { type User, useUserDeletion } from '../../queries/users.ts';
import { isolate } from '../../text/direction.ts';
import { ConfirmDialog } from '../../widgets/ConfirmDialog.tsx';

type DeleteUserDialogProps = { user: User | null; onClose: () => void };

export function DeleteUserDialog({ user, onClose }: DeleteUserDialogProps) {
  const shown = useLast(user);
  const deletion = useUserDeletion();
  const close = () => {
    deletion.reset();
    onClose();
  };
  const remove = () => {
    if (user === null) return;
    const onSuccess = () => {
      close();
      say('User deleted');
    };
    deletion.mutate(user.id, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`Delete ${isolate(shown?.name ?? 'this user')}?`}
      action="Delete user"
      open={user !== null}
      onClose={close}
      onConfirm={remove}
      busy={deletion.isPending}
      error={deletion.error}
    >
      <p>
        {shown?.email} is signed out everywhere and cannot sign in again. The tokens they created go on
        working.
      </p>
    </ConfirmDialog>
  );
}
