/** The secret of a webhook, the only time that it is told. */
import type { ClosingQuestion } from '../../../ui/dialogs/Dialog.tsx';
import { SecretDialog } from '../../../ui/dialogs/SecretDialog.tsx';

export const uncopied: ClosingQuestion = {
  title: 'Close without the secret?',
  action: 'Close without it',
  text: 'It has not been copied, and nobody can show it again. A new one can be made at any time.',
};

type SecretOnceProps = { secret: string; onCopied: () => void; onDone: () => void };

export function WebhookSecret({ secret, onCopied, onDone }: SecretOnceProps) {
  return (
    <SecretDialog name="secret" text={secret} onCopied={onCopied} onDone={onDone}>
      Your program checks with it that a request is from here (Standard Webhooks: webhook-id,
      webhook-timestamp, webhook-signature). If it gets lost, make a new one.
    </SecretDialog>
  );
}
