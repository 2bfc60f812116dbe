/** The field for the name of a view, in a dialog that opens with it. */
import { limits } from '@tapedeck/client';
import { TextField } from '../../../ui/forms/TextField.tsx';

type ViewNameFieldProps = {
  value: string;
  onChange: (value: string) => void;
  error: string | null;
  hint?: string | undefined;
};

export function ViewNameField(props: ViewNameFieldProps) {
  return (
    <TextField
      {...props}
      label="Name"
      required
      maxLength={limits.nameCharactersMax}
      autoComplete="off"
      autoFocus
    />
  );
}
