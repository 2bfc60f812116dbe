/** Asks before deleting a channel. While rules use it, it lists them instead. */

import { isolate } from '../../../format/direction.ts';
import { type Channel, useChannelDeletion } from '../../../queries/channels.ts';
import type { Rule } from '../../../queries/rules.ts';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog.tsx';
import { useConfirmation } from '../../../ui/hooks/useConfirmation.ts';
import { showToast } from '../../../ui/Toasts.tsx';

type DeleteChannelDialogProps = {
  project: string;
  channel: Channel | null;
  rules: readonly Rule[];
  onClose: () => void;
};

export function DeleteChannelDialog({ project, channel, rules, onClose }: DeleteChannelDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(channel, useChannelDeletion(project), {
    onClose,
    onDone: () => showToast('Channel deleted'),
  });
  const isUsed = rules.length > 0;
  return (
    <ConfirmDialog
      title={`Delete ${shown ? isolate(shown.name) : 'this channel'}?`}
      action="Delete channel"
      {...dialog}
      onConfirm={() => channel && confirm(channel.id)}
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
