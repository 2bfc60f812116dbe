/** Asks before deleting a rule and its history. */

import { isolate } from '../../format/direction.ts';
import { type Rule, useRuleDeletion } from '../../queries/rules.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { showToast } from '../../ui/Toasts.tsx';

type DeleteRuleDialogProps = {
  project: string;
  rule: Rule | null;
  onClose: () => void;
  onDeleted?: () => void;
};

export function DeleteRuleDialog({ project, rule, onClose, onDeleted }: DeleteRuleDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(rule, useRuleDeletion(project), {
    onClose,
    onDone: () => {
      showToast('Rule deleted');
      onDeleted?.();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${shown ? isolate(shown.name) : 'this rule'}?`}
      action="Delete rule"
      {...dialog}
      onConfirm={() => rule && confirm(rule.id)}
    >
      <p>Its history is deleted too. To keep the rule, turn it off or mute it instead.</p>
    </ConfirmDialog>
  );
}
