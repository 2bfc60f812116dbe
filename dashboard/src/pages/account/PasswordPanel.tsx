/** Changes the user's own password. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, limits } from '@tapedeck/client';
import { type SubmitEvent, useState } from 'react';
import { api } from '../../api.ts';
import { Button } from '../../parts/Button.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { TextField } from '../../parts/TextField.tsx';
import { say } from '../../parts/Toasts.tsx';
import { sessionsQuery, useMe } from '../../queries/session.ts';
import { placeFailure } from '../../text/failures.ts';
import { useCountdown } from '../door/countdown.ts';

const nothing = { currentPassword: '', newPassword: '' };
const fields = ['currentPassword', 'newPassword'] as const;

export function PasswordPanel() {
  const me = useMe();
  const [input, setInput] = useState(nothing);
  const change = usePasswordChange(() => setInput(nothing));
  const failure = placeFailure(change.error, fields, {
    sign_in_failed: 'currentPassword',
    sign_in_slowed: 'currentPassword',
  });
  const slowed = change.error instanceof ApiError && change.error.code === 'sign_in_slowed';
  const waitSeconds = useCountdown(slowed ? change.error : null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(input);
  };
  return (
    <form onSubmit={submit}>
      <Panel
        title="Password"
        about="A new one ends all other sessions."
        footer={
          <Button type="submit" look="primary" busy={change.isPending} disabled={waitSeconds > 0}>
            {waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Change password'}
          </Button>
        }
      >
        {/* Lets password managers know whose password this is. */}
        <input type="text" hidden readOnly autoComplete="username" value={me.email} />
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <TextField
            label="Current password"
            type="password"
            required
            autoComplete="current-password"
            error={slowed && waitSeconds === 0 ? null : failure.at('currentPassword')}
            value={input.currentPassword}
            onChange={currentPassword => setInput({ ...input, currentPassword })}
          />
          <TextField
            label="New password"
            type="password"
            required
            autoComplete="new-password"
            hint={`At least ${limits.passwordCharactersMin} characters.`}
            minLength={limits.passwordCharactersMin}
            maxLength={limits.passwordCharactersMax}
            error={failure.at('newPassword')}
            value={input.newPassword}
            onChange={newPassword => setInput({ ...input, newPassword })}
          />
        </div>
        {failure.rest && <Notice look="error">{failure.rest}</Notice>}
      </Panel>
    </form>
  );
}

function usePasswordChange(onChanged: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: typeof nothing) => api.changePassword({ body }),
    onSuccess: () => {
      onChanged();
      say('Password changed');
      return queries.invalidateQueries(sessionsQuery);
    },
  });
}
