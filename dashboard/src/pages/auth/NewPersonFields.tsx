/** Fields for a new user: name, email address and password. */
import { limits } from '@tapedeck/client';
import type { FieldErrors } from '../../format/fieldErrors.ts';
import { NewPasswordField } from '../../ui/forms/NewPasswordField.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';

type NewPerson = { name: string; email: string; password: string };

type NewPersonFieldsProps = {
  person: NewPerson;
  failure: FieldErrors<keyof NewPerson>;
  /** True if the user cannot change the address. */
  emailReadOnly?: boolean;
  autoFocus?: boolean;
  onChange: (person: NewPerson) => void;
};

export function NewPersonFields(props: NewPersonFieldsProps) {
  const { person, failure, emailReadOnly = false, autoFocus = false, onChange } = props;
  const type = (field: keyof NewPerson) => (value: string) => onChange({ ...person, [field]: value });
  return (
    <>
      <TextField
        label="Your name"
        required
        autoFocus={autoFocus}
        autoComplete="name"
        maxLength={limits.nameCharactersMax}
        error={failure.at('name')}
        value={person.name}
        onChange={type('name')}
      />
      <TextField
        label="Email address"
        type="email"
        required
        readOnly={emailReadOnly}
        autoComplete="username"
        error={failure.at('email')}
        value={person.email}
        onChange={type('email')}
      />
      <NewPasswordField
        label="Password"
        required
        error={failure.at('password')}
        value={person.password}
        onChange={type('password')}
      />
    </>
  );
}
