/** Sets up a second factor: asks for the password, shows the secret as a QR code and as text, and checks the first code. */
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import {
  type FactorBeginning,
  useFactorBeginning,
  useFactorConfirmation,
} from '../../queries/authMethods.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { OwnPasswordField } from './OwnPasswordField.tsx';
import { QrCode } from './QrCode.tsx';

type NewFactorDialogProps = {
  hasPassword: boolean;
  open: boolean;
  onClose: () => void;
  onMade: (recoveryCodes: readonly string[]) => void;
};

export function NewFactorDialog({ hasPassword, open, onClose, onMade }: NewFactorDialogProps) {
  const [begun, setBegun] = useState<FactorBeginning | null>(null);
  const close = () => {
    setBegun(null);
    onClose();
  };
  const finish = (recoveryCodes: readonly string[]) => {
    setBegun(null);
    onMade(recoveryCodes);
  };
  return (
    <Dialog
      title="Set up a second factor"
      about="Use any authenticator app. Nothing changes until you enter its first code."
      open={open}
      onClose={close}
      closesLightly={false}
    >
      {begun === null ? (
        <BeginForm hasPassword={hasPassword} onBegun={setBegun} onCancel={close} />
      ) : (
        <AppForm begun={begun} onMade={finish} onCancel={close} />
      )}
    </Dialog>
  );
}

type BeginFormProps = {
  hasPassword: boolean;
  onBegun: (begun: FactorBeginning) => void;
  onCancel: () => void;
};

function BeginForm({ hasPassword, onBegun, onCancel }: BeginFormProps) {
  const [password, setPassword] = useState('');
  const beginning = useFactorBeginning();
  const { slowed, waitSeconds } = useRateLimit(beginning.error);
  const failure = placeErrors(slowed ? null : beginning.error, ['password']);
  return (
    <DialogForm
      action="Continue"
      busy={beginning.isPending}
      error={failure.rest}
      waitSeconds={waitSeconds}
      onSubmit={() => beginning.mutate(password, { onSuccess: onBegun })}
      onCancel={onCancel}
    >
      <OwnPasswordField
        hasPassword={hasPassword}
        error={failure.at('password')}
        value={password}
        onChange={setPassword}
      />
      {!hasPassword && <p className="text-sm text-muted">Next, scan a code with the app.</p>}
    </DialogForm>
  );
}

type AppFormProps = {
  begun: FactorBeginning;
  onMade: (recoveryCodes: readonly string[]) => void;
  onCancel: () => void;
};

function AppForm({ begun: { secret, uri, ticket }, onMade, onCancel }: AppFormProps) {
  const [code, setCode] = useState('');
  const confirmation = useFactorConfirmation();
  const { slowed, waitSeconds } = useRateLimit(confirmation.error);
  const failure = placeErrors(slowed ? null : confirmation.error, ['code']);
  const confirm = () =>
    confirmation.mutate({ ticket, code }, { onSuccess: ({ recoveryCodes }) => onMade(recoveryCodes) });
  return (
    <DialogForm
      action="Turn on"
      busy={confirmation.isPending}
      error={failure.rest}
      waitSeconds={waitSeconds}
      onSubmit={confirm}
      onCancel={onCancel}
    >
      <div className="grid items-center gap-5 sm:grid-cols-[auto_1fr]">
        <QrCode text={uri} label="The secret as a QR code" />
        <div className="grid gap-2 text-sm">
          <p>Scan this with the app, or enter the secret:</p>
          <div className="flex items-center gap-2 rounded-lg border border-line bg-well px-3 py-2">
            <output aria-label="The secret" className="min-w-0 flex-1 font-mono break-all select-all">
              {secret.match(/.{4}/g)?.join(' ')}
            </output>
            <CopyButton text={secret} label="Copy secret" />
          </div>
        </div>
      </div>
      <TextField
        label="Code"
        hint="The six digits your app shows."
        required
        autoFocus
        mono
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder="000000"
        maxLength={64}
        error={failure.at('code')}
        value={code}
        onChange={setCode}
      />
    </DialogForm>
  );
}
