/** The form to change a user. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { useMe } from '../../queries/session.ts';
import {
  type User,
  type UserChanges,
  useFactorReset,
  userQuery,
  useUserChange,
} from '../../queries/users.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { Switch } from '../../ui/forms/Switch.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { PasswordField } from './PasswordField.tsx';
import { type Person, PersonFields } from './PersonFields.tsx';

const fields = ['email', 'emailVerified', 'name', 'password', 'isOwner'] as const;

type EditUserFormProps = { user: User; onDone: () => void; onDelete: () => void };

export function EditUserForm({ user, onDone, onDelete }: EditUserFormProps) {
  const me = useMe();
  const [person, setPerson] = useState<Person>(user);
  const [emailVerified, setEmailVerified] = useState(user.emailVerified);
  const [password, setPassword] = useState('');
  const change = useUserChange(user.id);
  const failure = placeErrors(change.error, fields);
  const save = () => {
    const onSuccess = () => {
      onDone();
      showToast('Saved');
    };
    const verified = emailVerified === user.emailVerified ? {} : { emailVerified };
    change.mutate({ ...findChanges(user, person, password), ...verified }, { onSuccess });
  };
  return (
    <DialogForm
      action="Save"
      busy={change.isPending}
      error={failure.rest}
      otherButton={
        user.id !== me.id && (
          <Button look="risky" className="mr-auto -ml-2" onClick={onDelete}>
            Delete user…
          </Button>
        )
      }
      onSubmit={save}
      onCancel={onDone}
    >
      <PersonFields person={person} failure={failure} nameRequired onChange={setPerson} />
      {!user.emailVerified && <EmailVerification checked={emailVerified} onChange={setEmailVerified} />}
      <PasswordField
        label="New password"
        hint="Leave empty to keep the current one. A new password signs them out everywhere."
        error={failure.at('password')}
        value={password}
        onChange={setPassword}
      />
      <Switch
        label="Owner of the installation"
        checked={person.isOwner}
        onChange={isOwner => setPerson({ ...person, isOwner })}
      />
      <Roles user={user} />
      <SecondFactor user={user} />
    </DialogForm>
  );
}

function findChanges(user: User, person: Person, password: string): UserChanges {
  const changes: UserChanges = {};
  if (person.name.trim() !== user.name) changes.name = person.name.trim();
  if (person.email.trim() !== user.email) changes.email = person.email.trim();
  if (person.isOwner !== user.isOwner) changes.isOwner = person.isOwner;
  if (password !== '') changes.password = password;
  return changes;
}

type EmailVerificationProps = { checked: boolean; onChange: (checked: boolean) => void };

/** For addresses that users entered themselves. */
function EmailVerification({ checked, onChange }: EmailVerificationProps) {
  return (
    <div className="grid gap-1">
      <Switch label="The email address is verified" checked={checked} onChange={onChange} />
      <p className="text-[0.87rem] text-muted">
        They entered this address themselves. Once verified, its owner can sign in here through the sign-in
        provider.
      </p>
    </div>
  );
}

/** An owner turns off a lost second factor, so that the user can set up another. */
function SecondFactor({ user }: { user: User }) {
  const { data } = useQuery(userQuery(user.id));
  const reset = useFactorReset(user.id);
  if (!data?.hasSecondFactor) return null;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
        <span>They enter a code after the password.</span>
        <Button
          size="small"
          busy={reset.isPending}
          onClick={() => reset.mutate(undefined, { onSuccess: () => showToast('Second factor turned off') })}
        >
          Turn off (device lost)
        </Button>
      </div>
      {reset.error && <Notice look="error">{reset.error.message}</Notice>}
    </div>
  );
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
