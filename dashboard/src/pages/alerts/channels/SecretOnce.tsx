/** The secret of a webhook, the only time that it is told. */
import type { ClosingQuestion } from '../../../widgets/Dialog.tsx';
import { ShownOnce } from '../../../widgets/ShownOnce.tsx';

export const uncopied: ClosingQuestion = {
  title: 'Close without the secret?',
  action: 'Close without it',
  text: 'It has not been copied, and nobody can show it again. A new one can be made at any time.',
};

type SecretOnceProps = { secret: string; onCopied: () => void; onDone: () => void };

export function SecretOnce({ secret, onCopied, onDone }: SecretOnceProps) {
  return (
    <ShownOnce name="secret" text={secret} onCopied={onCopied} onDone={onDone}>
      Your program checks with it that a request is from here (Standard Webhooks: webhook-id,
      webhook-timestamp, webhook-signature). If it gets lost, make a new one.
    </ShownOnce>
  );
}
