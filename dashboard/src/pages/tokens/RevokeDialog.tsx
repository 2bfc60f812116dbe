/** Asks before revoking a token, which stops the programs that use it. */

import { isolate } from '../../format/direction.ts';
import { type Token, useTokenRevocation } from '../../queries/tokens.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { showToast } from '../../ui/Toasts.tsx';

type RevokeDialogProps = { project: string; token: Token | null; onClose: () => void };

export function RevokeDialog({ project, token, onClose }: RevokeDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(token, useTokenRevocation(project), {
    onClose,
    onDone: () => showToast('Token revoked'),
  });
  return (
    <ConfirmDialog
      title={`Revoke ${isolate(shown?.name || 'this token')}?`}
      action="Revoke token"
      {...dialog}
      onConfirm={() => token && confirm(token.id)}
    >
      <p>
        Programs that still send <span className="font-mono text-ink">{shown?.prefix}…</span> are refused
        within a second. This can’t be undone.
        {shown?.kind === 'admin' && ' Tokens created with it are revoked too.'}
      </p>
      <p>
        {shown?.lastUsedAt ? (
          <>
            It was last used <Timestamp at={shown.lastUsedAt} />.
          </>
        ) : (
          'It has never been used.'
        )}
      </p>
    </ConfirmDialog>
  );
}
