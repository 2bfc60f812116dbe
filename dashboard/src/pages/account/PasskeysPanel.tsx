/** Adds, lists and removes the user's passkeys. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import {
  authMethodsQuery,
  type Passkey,
  usePasskeyAddition,
  usePasskeyRemoval,
} from '../../queries/authMethods.ts';
import { stateQuery } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { findPasskeyHindrance } from '../../webAuthn.ts';
import { OwnPasswordField } from './OwnPasswordField.tsx';

export function PasskeysPanel() {
  const state = useSuspenseQuery(stateQuery).data;
  const { passkeys, hasPassword } = useSuspenseQuery(authMethodsQuery).data;
  const [adding, setAdding] = useState(false);
  const removal = usePasskeyRemoval();
  const hindrance = findPasskeyHindrance(state.passkeys);
  const remove = (id: string) => removal.mutate(id, { onSuccess: () => showToast('Passkey removed') });
  return (
    <Panel
      title="Passkeys"
      about="Sign in with your device instead of the password. A passkey counts as both factors."
      footer={
        hindrance === null && (
          <Button look="primary" onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        )
      }
    >
      {passkeys.length > 0 && (
        <ul className="-my-3 divide-y divide-line">
          {passkeys.map(passkey => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => remove(passkey.id)} />
          ))}
        </ul>
      )}
      {passkeys.length === 0 && <p className="text-sm text-muted">{hindrance ?? 'None yet.'}</p>}
      {removal.error && <Notice look="error">{removal.error.message}</Notice>}
      <AddDialog hasPassword={hasPassword} open={adding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex items-center gap-4 py-3">
      <Icon name="key" className="size-5 text-muted phone:hidden" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <bdi className="font-medium wrap-anywhere">{name}</bdi>
        <span className="text-sm text-muted">
          Since <Timestamp at={createdAt} />,{' '}
          {lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              used <Timestamp at={lastUsedAt} />
            </>
          )}
        </span>
      </div>
      <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
}

type AddDialogProps = { hasPassword: boolean; open: boolean; onClose: () => void };

const nothing = { name: '', password: '' };

function AddDialog({ hasPassword, open, onClose }: AddDialogProps) {
  const [input, setInput] = useState(nothing);
  const addition = usePasskeyAddition();
  const { slowed, waitSeconds } = useRateLimit(addition.error);
  const failure = placeErrors(slowed ? null : addition.error, ['password', 'name']);
  const close = () => {
    setInput(nothing);
    addition.reset();
    onClose();
  };
  const add = () =>
    addition.mutate(input, {
      onSuccess: () => {
        close();
        showToast('Passkey added');
      },
    });
  return (
    <Dialog
      title="Add a passkey"
      about="Your browser will ask where to store it."
      open={open}
      onClose={close}
    >
      <DialogForm
        action="Continue"
        busy={addition.isPending}
        error={failure.rest}
        waitSeconds={waitSeconds}
        onSubmit={add}
        onCancel={close}
      >
        <TextField
          label="Name"
          hint="For example, the device it is stored on."
          required
          maxLength={limits.nameCharactersMax}
          placeholder="Laptop"
          error={failure.at('name')}
          value={input.name}
          onChange={name => setInput({ ...input, name })}
        />
        <OwnPasswordField
          hasPassword={hasPassword}
          error={failure.at('password')}
          value={input.password}
          onChange={password => setInput({ ...input, password })}
        />
      </DialogForm>
    </Dialog>
  );
}
