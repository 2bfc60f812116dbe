/** Gives an existing user a role in the project. */
import { Link } from '@tanstack/react-router';
import { ApiError, type Role } from '@tapedeck/client';
import { type SubmitEvent, useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { useMemberAddition } from '../../queries/members.ts';
import { useMe } from '../../queries/session.ts';
import { rolesUpTo } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { showToast } from '../../ui/Toasts.tsx';

const linkStyle = 'font-medium text-ink underline decoration-edge underline-offset-3 hover:decoration-ink';

type AddMemberProps = { project: string; role: Role; onInvite: (email: string) => void };

export function AddMember({ project, role, onInvite }: AddMemberProps) {
  const [email, setEmail] = useState('');
  const [given, setGiven] = useState<Role>('member');
  const addition = useMemberAddition(project);
  const isUnknown = addition.error instanceof ApiError && addition.error.code === 'not_found';
  const failure = placeErrors(addition.error, ['email']);
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const onSuccess = () => {
      setEmail('');
      showToast('Member added');
    };
    addition.mutate({ email: email.trim(), role: given }, { onSuccess });
  };
  return (
    <Panel>
      <form onSubmit={add} className="grid items-start gap-4 sm:grid-cols-[1fr_10rem_auto]">
        <TextField
          label="Email address"
          type="email"
          required
          autoComplete="off"
          placeholder="name@example.com"
          error={failure.at('email')}
          value={email}
          onChange={setEmail}
        />
        <Field label="Role">
          {control => (
            <Select
              {...control}
              value={given}
              options={rolesUpTo(role).map(value => ({ value, label: value }))}
              onChange={setGiven}
            />
          )}
        </Field>
        <Button type="submit" look="primary" busy={addition.isPending} className="h-10 sm:mt-6.5">
          Add member
        </Button>
      </form>
      {isUnknown && <Unknown project={project} email={addition.variables?.email ?? ''} onInvite={onInvite} />}
      {failure.rest && <Notice look="error">{failure.rest}</Notice>}
    </Panel>
  );
}

type UnknownProps = { project: string; email: string; onInvite: (email: string) => void };

function Unknown({ project, email, onInvite }: UnknownProps) {
  const me = useMe();
  return (
    <p className="mt-3 text-sm text-muted">
      No one has an account with {email} yet.{' '}
      <button type="button" className={linkStyle} onClick={() => onInvite(email)}>
        Invite them
      </button>
      {me.isOwner && (
        <>
          {' or '}
          <Link to="/users" search={{ email, project }} className={linkStyle}>
            Create the user
          </Link>
        </>
      )}
    </p>
  );
}
