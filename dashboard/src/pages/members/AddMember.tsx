/** Gives somebody who can sign in already a role in the project. */
import { Link } from '@tanstack/react-router';
import { ApiError, type Role } from '@tapedeck/client';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { Field } from '../../parts/Field.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Select } from '../../parts/Select.tsx';
import { TextField } from '../../parts/TextField.tsx';
import { say } from '../../parts/Toasts.tsx';
import { useMemberAddition } from '../../queries/members.ts';
import { useMe } from '../../queries/session.ts';
import { rolesUpTo } from '../../roles.ts';
import { placeFailure } from '../../text/failures.ts';

export function AddMember({ project, role }: { project: string; role: Role }) {
  const [email, setEmail] = useState('');
  const [given, setGiven] = useState<Role>('member');
  const me = useMe();
  const addition = useMemberAddition(project);
  const isUnknown = addition.error instanceof ApiError && addition.error.code === 'not_found';
  const failure = placeFailure(addition.error, ['email']);
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const onSuccess = () => {
      setEmail('');
      say('Member added');
    };
    addition.mutate({ email: email.trim(), role: given }, { onSuccess });
  };
  return (
    <Panel>
      <form onSubmit={add} className="grid items-start gap-4 sm:grid-cols-[1fr_10rem_auto]">
        <TextField
          label="E-mail address"
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
      {isUnknown && me.isOwner && (
        <p className="mt-3 text-sm text-muted">
          Nobody signs in with {addition.variables?.email} yet.{' '}
          <Link
            to="/users"
            search={{ email: addition.variables?.email, project }}
            className="font-medium text-ink underline decoration-edge underline-offset-3 hover:decoration-ink"
          >
            Make the user
          </Link>
        </p>
      )}
      {failure.rest && <Notice look="error">{failure.rest}</Notice>}
    </Panel>
  );
}
