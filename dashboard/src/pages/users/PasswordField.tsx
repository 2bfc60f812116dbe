/** A password for another user. Visible, because an owner has to pass it on; can generate one. */
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { NewPasswordField } from '../../ui/forms/NewPasswordField.tsx';

const alphabet = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'; // without lookalikes
const madeCharacters = 16;

type PasswordFieldProps = {
  label: string;
  required?: boolean;
  hint?: string;
  error: string | null;
  value: string;
  onChange: (password: string) => void;
};

export function PasswordField(props: PasswordFieldProps) {
  return (
    <div className="grid grid-cols-[1fr_auto_auto] items-start gap-2">
      <NewPasswordField {...props} type="text" mono spellCheck={false} />
      <Button className="mt-6.5 h-10" onClick={() => props.onChange(makePassword())}>
        Generate
      </Button>
      <div className="mt-7.5">
        <CopyButton text={props.value} label="Copy password" />
      </div>
    </div>
  );
}

/** Discards bytes that would make some characters likelier than others. */
function makePassword(): string {
  let password = '';
  while (password.length < madeCharacters) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < 256 - (256 % alphabet.length)) password += alphabet[byte % alphabet.length];
  }
  return password;
}
