/** Links and unlinks the user's accounts at the sign-in provider. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { authMethodsQuery, useLinking, useUnlinking } from '../../queries/authMethods.ts';
import { stateQuery } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { OwnPasswordField } from './OwnPasswordField.tsx';

/** Hidden if there is no provider, and no link to a former one. */
export function IdentitiesPanel() {
  const { provider } = useSuspenseQuery(stateQuery).data;
  const { identities, hasPassword } = useSuspenseQuery(authMethodsQuery).data;
  const [linking, setLinking] = useState(false);
  const unlinking = useUnlinking();
  if (provider === null && identities.length === 0) return null;
  const unlink = (id: string) => unlinking.mutate(id, { onSuccess: () => showToast('Unlinked') });
  const name = provider?.name ?? 'a provider';
  return (
    <Panel
      title="Linked identities"
      about={`Accounts of ${name} that can sign in to this account.`}
      footer={
        provider !== null && <Button onClick={() => setLinking(true)}>Link an account of {name}…</Button>
      }
    >
      {identities.length === 0 ? (
        <p className="text-sm text-muted">
          None yet. An account with your verified email address is linked when you first sign in with it.
        </p>
      ) : (
        <ul className="-my-3 divide-y divide-line">
          {identities.map(({ id, label, issuer, createdAt }) => (
            <li key={id} className="flex items-center gap-4 py-3">
              <div className="grid min-w-0 flex-1 gap-0.5">
                <bdi className="font-medium wrap-anywhere">{label}</bdi>
                <span className="text-sm text-muted">
                  <span className="font-mono text-[0.9em] wrap-anywhere">{issuer}</span>, since{' '}
                  <Timestamp at={createdAt} />
                </span>
              </div>
              <Button size="small" aria-label={`Unlink ${label}`} onClick={() => unlink(id)}>
                Unlink
              </Button>
            </li>
          ))}
        </ul>
      )}
      {unlinking.error && <Notice look="error">{unlinking.error.message}</Notice>}
      <LinkDialog name={name} hasPassword={hasPassword} open={linking} onClose={() => setLinking(false)} />
    </Panel>
  );
}

type LinkDialogProps = { name: string; hasPassword: boolean; open: boolean; onClose: () => void };

function LinkDialog({ name, hasPassword, open, onClose }: LinkDialogProps) {
  const [password, setPassword] = useState('');
  const linking = useLinking();
  const { slowed, waitSeconds } = useRateLimit(linking.error);
  const failure = placeErrors(slowed ? null : linking.error, ['password']);
  const close = () => {
    setPassword('');
    linking.reset();
    onClose();
  };
  return (
    <Dialog
      title={`Link an account of ${name}`}
      about="You’ll be sent there and back."
      open={open}
      onClose={close}
    >
      <DialogForm
        action={`Go to ${name}`}
        busy={linking.isPending || linking.isSuccess}
        error={failure.rest}
        waitSeconds={waitSeconds}
        onSubmit={() => linking.mutate(password)}
        onCancel={close}
      >
        <OwnPasswordField
          hasPassword={hasPassword}
          error={failure.at('password')}
          value={password}
          onChange={setPassword}
        />
      </DialogForm>
    </Dialog>
  );
}
