/** Fields for the email address and name of a user. */
import { limits } from '@tapedeck/client';
import type { FieldErrors } from '../../format/fieldErrors.ts';
import { TextField } from '../../ui/forms/TextField.tsx';

export type Person = { email: string; name: string; isOwner: boolean };

type PersonFieldsProps = {
  person: Person;
  failure: FieldErrors<'email' | 'name'>;
  nameRequired: boolean;
  onChange: (person: Person) => void;
};

export function PersonFields({ person, failure, nameRequired, onChange }: PersonFieldsProps) {
  return (
    <>
      <TextField
        label="Email address"
        type="email"
        required
        autoComplete="off"
        error={failure.at('email')}
        value={person.email}
        onChange={email => onChange({ ...person, email })}
      />
      <TextField
        label="Name"
        required={nameRequired}
        autoComplete="off"
        maxLength={limits.nameCharactersMax}
        error={failure.at('name')}
        value={person.name}
        onChange={name => onChange({ ...person, name })}
      />
    </>
  );
}
