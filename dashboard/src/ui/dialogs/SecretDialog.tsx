/** A dialog with a secret that the user sees only this once. */
import type { ReactNode } from 'react';
import { Button } from '../Button.tsx';
import { CopyButton } from '../CopyButton.tsx';
import { Notice } from '../Notice.tsx';
import { DialogBody, DialogButtons } from './Dialog.tsx';

type ShownOnceProps = {
  /** The kind of secret, such as `token`. */
  name: string;
  /** Its label for screen readers, if not “New” and the name. */
  label?: string;
  text: string;
  onCopied: () => void;
  onDone: () => void;
  /** Advice for a lost secret. */
  children: ReactNode;
};

export function SecretDialog({
  name,
  label = `New ${name}`,
  text,
  onCopied,
  onDone,
  children,
}: ShownOnceProps) {
  return (
    <>
      <DialogBody>
        <div className="flex items-center gap-3 rounded-lg border border-accent/60 bg-well px-4 py-3">
          <output
            className="min-w-0 flex-1 font-mono break-all select-all"
            aria-label={label}
            onCopy={onCopied}
          >
            {text}
          </output>
          <CopyButton text={text} label={`Copy ${name}`} showLabel autoFocus onCopied={onCopied} />
        </div>
        <Notice look="plain">{children}</Notice>
      </DialogBody>
      <DialogButtons>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogButtons>
    </>
  );
}
