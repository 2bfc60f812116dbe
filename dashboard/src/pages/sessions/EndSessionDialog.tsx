/** Asks before a session is ended: the server's token is good no more. */

import { useLast } from '../../parts/last.ts';
import { say } from '../../parts/Toasts.tsx';
import { type LiveSession, useSessionEnd } from '../../queries/sessions.ts';
import { isolate } from '../../text/direction.ts';
import { ConfirmDialog } from '../../widgets/ConfirmDialog.tsx';
import { nameSession } from './columns.tsx';

type EndSessionDialogProps = { project: string; session: LiveSession | null; onClose: () => void };

export function EndSessionDialog({ project, session, onClose }: EndSessionDialogProps) {
  const shown = useLast(session);
  const ending = useSessionEnd(project);
  const close = () => {
    ending.reset();
    onClose();
  };
  const end = () => {
    const onSuccess = () => {
      close();
      say('Session ended');
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
        The server’s session token is refused within a second. A server that still has its API token may
        report again; to keep it out, revoke that token.
      </p>
    </ConfirmDialog>
  );
}
