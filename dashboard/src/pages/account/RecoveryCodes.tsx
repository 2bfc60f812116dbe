/** Shows recovery codes once, to copy or save as a file. */
import { useState } from 'react';
import { Button, styleButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { type ClosingQuestion, Dialog, DialogBody, DialogButtons } from '../../ui/dialogs/Dialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { Notice } from '../../ui/Notice.tsx';

const unkept: ClosingQuestion = {
  title: 'Close without the codes?',
  action: 'Close without them',
  text: 'You haven’t copied them, and they can’t be shown again. Without them, losing your phone locks you out.',
};

type RecoveryCodesDialogProps = { codes: readonly string[] | null; onClose: () => void };

export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const shown = useLastValue(codes) ?? [];
  const [kept, setKept] = useState(false);
  const keep = () => setKept(true);
  const close = () => {
    setKept(false);
    onClose();
  };
  const text = shown.join('\n');
  return (
    <Dialog
      title="Your recovery codes"
      about="Each code works once when you don’t have the app. They are shown only now."
      open={codes !== null}
      onClose={close}
      closesLightly={false}
      closingQuestion={kept ? null : unkept}
    >
      <DialogBody>
        <ul
          aria-label="Recovery codes"
          onCopy={keep}
          className="grid gap-x-6 gap-y-1.5 rounded-lg border border-accent/60 bg-well px-4 py-3 font-mono text-sm select-all sm:grid-cols-2"
        >
          {shown.map(code => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Notice look="plain">
          Store them somewhere you can reach without your phone, and not with your password.
        </Notice>
      </DialogBody>
      <DialogButtons>
        <CopyButton text={text} label="Copy codes" showLabel autoFocus onCopied={keep} />
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download="tapedeck-recovery-codes.txt"
          onClick={keep}
          className={styleButton({ size: 'small' })}
        >
          Save as a file
        </a>
        <Button look="primary" size="small" onClick={close}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
