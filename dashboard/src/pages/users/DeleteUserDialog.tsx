/** Asks before deleting a user. */

import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { type User, useUserDeletion } from '../../queries/users.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Switch } from '../../ui/forms/Switch.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { showToast } from '../../ui/Toasts.tsx';

type DeleteUserDialogProps = { user: User | null; onClose: () => void };

export function DeleteUserDialog({ user, onClose }: DeleteUserDialogProps) {
  const shown = useLastValue(user);
  const deletion = useUserDeletion();
  const [tokens, setTokens] = useState<'revoke' | 'keep'>('revoke');
  const close = () => {
    setTokens('revoke');
    deletion.reset();
    onClose();
  };
  const remove = () => {
    if (user === null) return;
    const onSuccess = () => {
      close();
      showToast('User deleted');
    };
    deletion.mutate({ user: user.id, tokens }, { onSuccess });
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
        {shown?.email} is signed out everywhere and can’t sign in again. Programs using their tokens are
        refused within a second, unless you keep these tokens.
      </p>
      <Switch
        label="Revoke the tokens they created"
        checked={tokens === 'revoke'}
        onChange={isRevoked => setTokens(isRevoked ? 'revoke' : 'keep')}
      />
    </ConfirmDialog>
  );
}
