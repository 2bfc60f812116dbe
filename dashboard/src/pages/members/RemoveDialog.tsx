/** Asks before somebody loses their role in the project. */

import { useLast } from '../../parts/last.ts';
import { say } from '../../parts/Toasts.tsx';
import { type Member, useMemberRemoval } from '../../queries/members.ts';
import { ConfirmDialog } from '../../widgets/ConfirmDialog.tsx';

type RemoveDialogProps = { project: string; member: Member | null; onClose: () => void };

export function RemoveDialog({ project, member, onClose }: RemoveDialogProps) {
  const shown = useLast(member);
  const removal = useMemberRemoval(project);
  const close = () => {
    removal.reset();
    onClose();
  };
  const remove = () => {
    if (member === null) return;
    const onSuccess = () => {
      close();
      say('Member removed');
    };
    removal.mutate(member.id, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`Remove ${shown?.name}?`}
      action="Remove member"
      open={member !== null}
      onClose={close}
      onConfirm={remove}
      busy={removal.isPending}
      error={removal.error}
    >
      <p>They no longer see this project. Their account and the tokens they created stay.</p>
    </ConfirmDialog>
  );
}
