/** The text of a new token. */
import { Button } from '../../parts/Button.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { DialogBody, DialogButtons } from '../../widgets/Dialog.tsx';

type ShownOnceProps = { token: string; onCopied: () => void; onDone: () => void };

export function ShownOnce({ token, onCopied, onDone }: ShownOnceProps) {
  return (
    <>
      <DialogBody>
        <div className="flex items-center gap-3 rounded-lg border border-accent/60 bg-well px-4 py-3">
          <output
            className="min-w-0 flex-1 font-mono break-all select-all"
            aria-label="The new token"
            onCopy={onCopied}
          >
            {token}
          </output>
          <CopyButton text={token} label="Copy token" showLabel autoFocus onCopied={onCopied} />
        </div>
        <Notice look="plain">
          The service keeps a fingerprint only and cannot show it again. If it gets lost, revoke it and create
          another.
        </Notice>
      </DialogBody>
      <DialogButtons>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogButtons>
    </>
  );
}
