/** Asks before ending a session, which makes the server's token invalid. */

import { isolate } from '../../format/direction.ts';
import { type LiveSession, useSessionEnd } from '../../queries/sessions.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { nameSession } from './columns.tsx';

type EndSessionDialogProps = { project: string; session: LiveSession | null; onClose: () => void };

export function EndSessionDialog({ project, session, onClose }: EndSessionDialogProps) {
  const shown = useLastValue(session);
  const ending = useSessionEnd(project);
  const close = () => {
    ending.reset();
    onClose();
  };
  const end = () => {
    const onSuccess = () => {
      close();
      showToast('Session ended');
    };
    if (session) ending.mutate(session.id, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`End the session of ${shown ? isolate(nameSession(shown)[0]) : 'this server'}?`}
      action="End session"
      open={session !== null}
      onClose={close}
      onConfirm={end}
      busy={ending.isPending}
      error={ending.error}
    >
      <p>
        The server’s session token stops working within a second. The server can start a new session with its
        API token; revoke that token to keep it out.
      </p>
    </ConfirmDialog>
  );
}
