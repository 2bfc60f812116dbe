/** Asks before deleting a rule and its history. */

import { isolate } from '../../format/direction.ts';
import { type Rule, useRuleDeletion } from '../../queries/rules.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { showToast } from '../../ui/Toasts.tsx';

type DeleteRuleDialogProps = {
  project: string;
  rule: Rule | null;
  onClose: () => void;
  onDeleted?: () => void;
};

export function DeleteRuleDialog({ project, rule, onClose, onDeleted }: DeleteRuleDialogProps) {
  const shown = useLastValue(rule);
  const deletion = useRuleDeletion(project);
  const close = () => {
    deletion.reset();
    onClose();
  };
  const remove = () => {
    if (rule === null) return;
    const onSuccess = () => {
      close();
      showToast('Rule deleted');
      onDeleted?.();
    };
    deletion.mutate(rule.id, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`Delete ${shown ? isolate(shown.name) : 'this rule'}?`}
      action="Delete rule"
      open={rule !== null}
      onClose={close}
      onConfirm={remove}
      busy={deletion.isPending}
      error={deletion.error}
    >
      <p>Its history is deleted too. To keep the rule, turn it off or mute it instead.</p>
    </ConfirmDialog>
  );
}
