/** A field for a new password, with its rules. */
import { limits } from '@tapedeck/client';
import { TextField, type TextFieldProps } from './TextField.tsx';

export function NewPasswordField(props: TextFieldProps) {
  return (
    <TextField
      type="password"
      autoComplete="new-password"
      hint={`At least ${limits.passwordCharactersMin} characters.`}
      minLength={limits.passwordCharactersMin}
      maxLength={limits.passwordCharactersMax}
      {...props}
    />
  );
}
