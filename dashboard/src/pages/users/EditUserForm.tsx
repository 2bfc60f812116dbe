/** What can be changed about a user. */

import { useQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { useId, useState } from 'react';
import { Badge } from '../../parts/Badge.tsx';
import { Button } from '../../parts/Button.tsx';
import { Form } from '../../parts/Form.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Switch } from '../../parts/Switch.tsx';
import { TextField } from '../../parts/TextField.tsx';
import { say } from '../../parts/Toasts.tsx';
import { useMe } from '../../queries/session.ts';
import { type User, type UserChanges, userQuery, useUserChange } from '../../queries/users.ts';
import { placeFailure } from '../../text/failures.ts';
import { DialogBody, DialogButtons } from '../../widgets/Dialog.tsx';
import { PasswordField } from './PasswordField.tsx';

const fields = ['email', 'name', 'password', 'isOwner'] as const;

type EditUserFormProps = { user: User; onDone: () => void; onDelete: () => void };

export function EditUserForm({ user, onDone, onDelete }: EditUserFormProps) {
  const id = useId();
  const me = useMe();
  const [input, setInput] = useState({
    email: user.email,
    name: user.name,
    password: '',
    isOwner: user.isOwner,
  });
  const change = useUserChange(user.id);
  const failure = placeFailure(change.error, fields, { name_taken: 'email' });
  const save = () => {
    const onSuccess = () => {
      onDone();
      say('Saved');
    };
    change.mutate(findChanges(user, input), { onSuccess });
  };
  return (
    <>
      <DialogBody>
        <Form id={id} onSubmit={save}>
          <TextField
            label="Name"
            required
            autoComplete="off"
            maxLength={limits.nameCharactersMax}
            error={failure.at('name')}
            value={input.name}
            onChange={name => setInput({ ...input, name })}
          />
          <TextField
            label="E-mail address"
            type="email"
            required
            autoComplete="off"
            error={failure.at('email')}
            value={input.email}
            onChange={email => setInput({ ...input, email })}
          />
          <PasswordField
            label="New password"
            hint="Empty keeps the old one. A new one signs them out everywhere."
            error={failure.at('password')}
            value={input.password}
            onChange={password => setInput({ ...input, password })}
          />
          <Switch
            label="Owner of the installation"
            checked={input.isOwner}
            onChange={isOwner => setInput({ ...input, isOwner })}
          />
          <Roles user={user} />
          {failure.rest && <Notice look="error">{failure.rest}</Notice>}
        </Form>
      </DialogBody>
      <DialogButtons>
        {user.id !== me.id && (
          <Button look="risky" className="mr-auto -ml-2" onClick={onDelete}>
            Delete user…
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" form={id} look="primary" busy={change.isPending}>
          Save
        </Button>
      </DialogButtons>
    </>
  );
}

function findChanges(user: User, input: Required<UserChanges>): UserChanges {
  const changes: UserChanges = {};
  if (input.name.trim() !== user.name) changes.name = input.name.trim();
  if (input.email.trim() !== user.email) changes.email = input.email.trim();
  if (input.password !== '') changes.password = input.password;
  if (input.isOwner !== user.isOwner) changes.isOwner = input.isOwner;
  return changes;
}

function Roles({ user }: { user: User }) {
  const { data } = useQuery(userQuery(user.id));
  if (user.isOwner || data === undefined || data.projects.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-1.5">
      <span className="sr-only">Roles in projects:</span>
      {data.projects.map(({ project, role }) => (
        <Badge key={project}>
          {project}: {role}
        </Badge>
      ))}
    </div>
  );
}
