/** Asks for the user's own password before what opens the account is changed. Who has none is asked for nothing. */
import { TextField } from '../../ui/forms/TextField.tsx';

type OwnPasswordFieldProps = {
  hasPassword: boolean;
  error: string | null;
  value: string;
  onChange: (password: string) => void;
};

export function OwnPasswordField({ hasPassword, ...rest }: OwnPasswordFieldProps) {
  if (!hasPassword) return null;
  return (
    <TextField label="Your password" type="password" required autoComplete="current-password" {...rest} />
  );
}
