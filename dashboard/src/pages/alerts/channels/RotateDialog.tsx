/** Gives a webhook a new secret. The old one keeps signing for a day. */
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { type Channel, useSecretRotation } from '../../../queries/channels.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { uncopied, WebhookSecret } from './WebhookSecret.tsx';

type RotateDialogProps = { project: string; channel: Channel; onClose: () => void };

export function RotateDialog({ project, channel, onClose }: RotateDialogProps) {
  const rotation = useSecretRotation(project);
  const [copied, setCopied] = useState(false);
  const secret = rotation.data;
  return (
    <Dialog
      title={secret === undefined ? `New secret for ${isolate(channel.name)}` : 'Your new secret'}
      about={secret === undefined ? undefined : 'It signs every request. It is shown only now.'}
      open
      onClose={onClose}
      closesLightly={secret === undefined}
      closingQuestion={secret === undefined || copied ? null : uncopied}
    >
      {secret === undefined ? (
        <>
          <DialogBody>
            <p className="text-sm text-muted">
              Requests are signed with both secrets for one day. After that only the new one is used.
            </p>
            {rotation.error && <Notice look="error">{rotation.error.message}</Notice>}
          </DialogBody>
          <DialogButtons>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" busy={rotation.isPending} onClick={() => rotation.mutate(channel.id)}>
              Create a new secret
            </Button>
          </DialogButtons>
        </>
      ) : (
        <WebhookSecret secret={secret} onCopied={() => setCopied(true)} onDone={onClose} />
      )}
    </Dialog>
  );
}
