/** Asks before deleting or losing something. Shows the service's error in the dialog. */
import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { Button, styleButton } from '../Button.tsx';
import { Notice } from '../Notice.tsx';

type ConfirmDialogProps = {
  title: string;
  /** The submit button's verb. */
  action: string;
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  busy?: boolean;
  error?: Error | null;
  disabled?: boolean;
  children: ReactNode;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Base.Root open={props.open} onOpenChange={isOpen => !isOpen && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-[oklch(0.15_0.01_60/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          className="fixed inset-x-4 top-[max(2rem,20dvh)] mx-auto max-w-105 rounded-2xl border border-line bg-panel
            shadow-float transition duration-150 outline-none data-ending-style:translate-y-3
            data-ending-style:opacity-0 data-starting-style:translate-y-3 data-starting-style:opacity-0"
        >
          <div className="grid gap-2 px-6 pt-5 pb-5">
            <Base.Title className="text-lg font-semibold tracking-tight wrap-anywhere">
              {props.title}
            </Base.Title>
            <Base.Description render={<div />} className="grid gap-3 text-sm wrap-anywhere text-muted">
              {props.children}
            </Base.Description>
            {props.error && <Notice look="error">{props.error.message}</Notice>}
          </div>
          <footer className="flex justify-end gap-2.5 border-t border-line px-6 py-3.5">
            <Base.Close className={styleButton()}>Cancel</Base.Close>
            <Button
              look="danger"
              busy={props.busy ?? false}
              disabled={props.disabled ?? false}
              onClick={props.onConfirm}
            >
              {props.action}
            </Button>
          </footer>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
