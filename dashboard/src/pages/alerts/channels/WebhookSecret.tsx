/** Shows a webhook's secret, which the service sends only once. */
import type { ClosingQuestion } from '../../../ui/dialogs/Dialog.tsx';
import { SecretDialog } from '../../../ui/dialogs/SecretDialog.tsx';

export const uncopied: ClosingQuestion = {
  title: 'Close without the secret?',
  action: 'Close without it',
  text: 'You haven’t copied it, and it can’t be shown again. You can create a new one at any time.',
};

type SecretOnceProps = { secret: string; onCopied: () => void; onDone: () => void };

export function WebhookSecret({ secret, onCopied, onDone }: SecretOnceProps) {
  return (
    <SecretDialog name="secret" text={secret} onCopied={onCopied} onDone={onDone}>
      Your program uses it to verify requests (Standard Webhooks: webhook-id, webhook-timestamp,
      webhook-signature). If you lose it, create a new one.
    </SecretDialog>
  );
}
