/** Asks before deleting a user. */

import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { type User, useUserDeletion } from '../../queries/users.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Switch } from '../../ui/forms/Switch.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { showToast } from '../../ui/Toasts.tsx';

type DeleteUserDialogProps = { user: User | null; onClose: () => void };

export function DeleteUserDialog({ user, onClose }: DeleteUserDialogProps) {
  const [tokens, setTokens] = useState<'revoke' | 'keep'>('revoke');
  const { shown, confirm, dialog } = useConfirmation(user, useUserDeletion(), {
    onClose: () => {
      setTokens('revoke');
      onClose();
    },
    onDone: () => showToast('User deleted'),
  });
  return (
    <ConfirmDialog
      title={`Delete ${isolate(shown?.name ?? 'this user')}?`}
      action="Delete user"
      {...dialog}
      onConfirm={() => user && confirm({ user: user.id, tokens })}
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
