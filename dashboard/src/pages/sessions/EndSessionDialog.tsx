/** Asks before ending a session, which makes the server's token invalid. */

import { isolate } from '../../format/direction.ts';
import { type LiveSession, useSessionEnd } from '../../queries/sessions.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { nameSession } from './columns.tsx';

type EndSessionDialogProps = { project: string; session: LiveSession | null; onClose: () => void };

export function EndSessionDialog({ project, session, onClose }: EndSessionDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(session, useSessionEnd(project), {
    onClose,
    onDone: () => showToast('Session ended'),
  });
  return (
    <ConfirmDialog
      title={`End the session of ${shown ? isolate(nameSession(shown)[0]) : 'this server'}?`}
      action="End session"
      {...dialog}
      onConfirm={() => session && confirm(session.id)}
    >
      <p>
        The server’s session token stops working within a second. The server can start a new session with its
        API token; revoke that token to keep it out.
      </p>
    </ConfirmDialog>
  );
}
