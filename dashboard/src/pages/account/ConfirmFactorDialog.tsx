/** Asks for the password and a code before changing the second factor. */
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { OwnPasswordField } from './OwnPasswordField.tsx';

type Given = { password: string; code: string };

type ConfirmFactorDialogProps<Answered> = {
  title: string;
  about: string;
  action: string;
  hasPassword: boolean;
  open: boolean;
  change: UseMutationResult<Answered, Error, Given>;
  onClose: () => void;
  onDone: (answered: Answered) => void;
};

const nothing: Given = { password: '', code: '' };

export function ConfirmFactorDialog<Answered>(props: ConfirmFactorDialogProps<Answered>) {
  const { title, about, action, hasPassword, open, change, onDone } = props;
  const [given, setGiven] = useState(nothing);
  const { slowed, waitSeconds } = useRateLimit(change.error);
  const failure = placeErrors(slowed ? null : change.error, ['password', 'code']);
  const clear = () => {
    setGiven(nothing);
    change.reset();
  };
  const close = () => {
    clear();
    props.onClose();
  };
  const confirm = () =>
    change.mutate(given, {
      onSuccess: answered => {
        clear();
        onDone(answered);
      },
    });
  return (
    <Dialog title={title} about={about} open={open} onClose={close}>
      <DialogForm
        action={action}
        busy={change.isPending}
        error={failure.rest}
        waitSeconds={waitSeconds}
        onSubmit={confirm}
        onCancel={close}
      >
        <OwnPasswordField
          hasPassword={hasPassword}
          error={failure.at('password')}
          value={given.password}
          onChange={password => setGiven({ ...given, password })}
        />
        <TextField
          label="Code"
          hint="From your app, or a recovery code."
          required
          mono
          autoComplete="one-time-code"
          maxLength={64}
          error={failure.at('code')}
          value={given.code}
          onChange={code => setGiven({ ...given, code })}
        />
      </DialogForm>
    </Dialog>
  );
}
