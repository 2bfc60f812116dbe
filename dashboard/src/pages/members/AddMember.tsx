/** Gives somebody who can sign in already a role in the project. */
import type { Role } from '@tapedeck/client';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { Field } from '../../parts/Field.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Select } from '../../parts/Select.tsx';
import { TextField } from '../../parts/TextField.tsx';
import { say } from '../../parts/Toasts.tsx';
import { useMemberAddition } from '../../queries/members.ts';
import { rolesUpTo } from '../../roles.ts';
import { placeFailure } from '../../text/failures.ts';

export function AddMember({ project, role }: { project: string; role: Role }) {
  const [email, setEmail] = useState('');
  const [given, setGiven] = useState<Role>('member');
  const addition = useMemberAddition(project);
  const failure = placeFailure(addition.error, ['email'], { not_found: 'email' });
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
      {failure.rest && <Notice look="error">{failure.rest}</Notice>}
    </Panel>
  );
}
