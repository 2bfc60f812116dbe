/** Changes the user's own password. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { authMethodsQuery } from '../../queries/authMethods.ts';
import { useMe, usePasswordChange } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { NewPasswordField } from '../../ui/forms/NewPasswordField.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { showToast } from '../../ui/Toasts.tsx';

const nothing = { currentPassword: '', newPassword: '' };
const noneYet = 'You have no password yet. Sign out, sign in again, and set one within ten minutes.';
const fields = ['currentPassword', 'newPassword'] as const;

export function PasswordPanel() {
  const me = useMe();
  const { hasPassword } = useSuspenseQuery(authMethodsQuery).data;
  const [input, setInput] = useState(nothing);
  const change = usePasswordChange(() => {
    setInput(nothing);
    showToast('Password changed');
  });
  const failure = placeErrors(change.error, fields, { sign_in_slowed: 'currentPassword' });
  const { slowed, waitSeconds } = useRateLimit(change.error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(input);
  };
  return (
    <form onSubmit={submit}>
      <Panel
        title="Password"
        about={hasPassword ? 'Changing it ends all other sessions.' : noneYet}
        footer={
          <Button type="submit" look="primary" busy={change.isPending} disabled={waitSeconds > 0}>
            {waitSeconds > 0 ? `Wait ${waitSeconds} s` : hasPassword ? 'Change password' : 'Set password'}
          </Button>
        }
      >
        {/* Tells password managers whose password this is. */}
        <input type="text" hidden readOnly autoComplete="username" value={me.email} />
        <div className="grid items-start gap-5 sm:grid-cols-2">
          {hasPassword && (
            <TextField
              label="Current password"
              type="password"
              required
              autoComplete="current-password"
              error={slowed && waitSeconds === 0 ? null : failure.at('currentPassword')}
              value={input.currentPassword}
              onChange={currentPassword => setInput({ ...input, currentPassword })}
            />
          )}
          <NewPasswordField
            label="New password"
            required
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
