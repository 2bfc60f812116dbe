/** Asks before leaving a rule with unsaved changes. */
import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog.tsx';

export function UnsavedDialog({ isAsked }: { isAsked: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isAsked,
    enableBeforeUnload: isAsked,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave"
      open={status === 'blocked'}
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
    >
      <p>Your changes to this rule will be lost.</p>
    </ConfirmDialog>
  );
}
