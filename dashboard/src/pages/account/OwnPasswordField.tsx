/** Asks for the user's password before changing a sign-in method. Users without a password see nothing. */
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
