/** Asks before deleting a channel. While rules use it, it lists them instead. */

import { isolate } from '../../../format/direction.ts';
import { type Channel, useChannelDeletion } from '../../../queries/channels.ts';
import type { Rule } from '../../../queries/rules.ts';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../../ui/hooks/useLastValue.ts';
import { showToast } from '../../../ui/Toasts.tsx';

type DeleteChannelDialogProps = {
  project: string;
  channel: Channel | null;
  rules: readonly Rule[];
  onClose: () => void;
};

export function DeleteChannelDialog({ project, channel, rules, onClose }: DeleteChannelDialogProps) {
  const shown = useLastValue(channel);
  const deletion = useChannelDeletion(project);
  const isUsed = rules.length > 0;
  const close = () => {
    deletion.reset();
    onClose();
  };
  const remove = () => {
    if (channel === null) return;
    const onSuccess = () => {
      close();
      showToast('Channel deleted');
    };
    deletion.mutate(channel.id, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`Delete ${shown ? isolate(shown.name) : 'this channel'}?`}
      action="Delete channel"
      open={channel !== null}
      onClose={close}
      onConfirm={remove}
      busy={deletion.isPending}
      error={deletion.error}
      disabled={isUsed}
    >
      {isUsed ? (
        <p>
          Used by these rules. Remove it from them first:{' '}
          <span className="text-ink">{rules.map(({ name }) => `“${isolate(name)}”`).join(', ')}</span>.
        </p>
      ) : (
        <p>Its delivery history is deleted too. This can’t be undone.</p>
      )}
    </ConfirmDialog>
  );
}
