/** The form for a new user. */

import { useSuspenseQuery } from '@tanstack/react-query';
import { type Role, roles } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { projectsQuery } from '../../queries/projects.ts';
import { type NewUser, useUserCreation } from '../../queries/users.ts';
import { roleMeanings } from '../../roles.ts';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import { Switch } from '../../ui/forms/Switch.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { PasswordField } from './PasswordField.tsx';
import { type Person, PersonFields } from './PersonFields.tsx';

const nobody: Person = { email: '', name: '', isOwner: false };
const fields = ['email', 'name', 'password', 'project'] as const;

/** Initial values of the form. */
export type KnownOfUser = { email?: string | undefined; project?: string | undefined };

export function NewUserForm({ known, onDone }: { known: KnownOfUser; onDone: () => void }) {
  const [person, setPerson] = useState<Person>({ ...nobody, email: known.email ?? '' });
  const [password, setPassword] = useState('');
  const [place, setPlace] = useState<Place>({ project: known.project ?? '', role: 'member' });
  const creation = useUserCreation();
  const failure = placeErrors(creation.error, fields);
  const create = () => {
    const { email, name, isOwner } = person;
    const body: NewUser = { email: email.trim(), password, isOwner };
    if (name.trim() !== '') body.name = name.trim();
    if (!isOwner && place.project !== '') Object.assign(body, place);
    const onSuccess = () => {
      onDone();
      showToast('User created');
    };
    creation.mutate(body, { onSuccess });
  };
  return (
    <DialogForm
      action="Create user"
      busy={creation.isPending}
      error={failure.rest}
      onSubmit={create}
      onCancel={onDone}
    >
      <PersonFields person={person} failure={failure} nameRequired={false} onChange={setPerson} />
      <PasswordField
        label="Password"
        required
        error={failure.at('password')}
        value={password}
        onChange={setPassword}
      />
      <Switch
        label="Owner of the installation"
        checked={person.isOwner}
        onChange={isOwner => setPerson({ ...person, isOwner })}
      />
      {!person.isOwner && <PlaceFields place={place} error={failure.at('project')} onChange={setPlace} />}
    </DialogForm>
  );
}

type Place = { project: string; role: Role };
type PlaceFieldsProps = { place: Place; error: string | null; onChange: (place: Place) => void };

function PlaceFields({ place, error, onChange }: PlaceFieldsProps) {
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const options = [
    { value: '', label: 'No project yet' },
    ...projects.map(({ project, name }) => ({ value: project, label: name })),
  ];
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label="Project" error={error}>
        {control => (
          <Select
            {...control}
            value={place.project}
            options={options}
            onChange={project => onChange({ ...place, project })}
          />
        )}
      </Field>
      {place.project !== '' && (
        <Field label="Role" hint={roleMeanings[place.role]}>
          {control => (
            <Select
              {...control}
              value={place.role}
              options={roles.map(value => ({ value, label: value }))}
              onChange={role => onChange({ ...place, role })}
            />
          )}
        </Field>
      )}
    </div>
  );
}
