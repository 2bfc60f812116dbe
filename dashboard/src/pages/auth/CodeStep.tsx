/** The second step of signing in: a code from the authenticator app, or a recovery code. */
import { ApiError } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { useSignInFinish } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { RateLimitNotice, useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { AuthLayout } from './AuthLayout.tsx';

type CodeStepProps = { ticket: string; onSignedIn: () => void; onBack: () => void };

export function CodeStep({ ticket, onSignedIn, onBack }: CodeStepProps) {
  const [code, setCode] = useState('');
  const [hasApp, setHasApp] = useState(true);
  const finish = useSignInFinish(onSignedIn);
  const { slowed, waitSeconds } = useRateLimit(finish.error);
  const failure = placeErrors(slowed ? null : finish.error, ['code']);
  const isOver = finish.error instanceof ApiError && finish.error.code === 'ticket_expired';
  const change = () => {
    setHasApp(!hasApp);
    setCode('');
    finish.reset();
  };
  return (
    <AuthLayout
      title="Enter the code"
      about={hasApp ? 'From your authenticator app.' : 'One of the codes you saved.'}
      label="Side B"
      turning={finish.isPending}
    >
      <Form onSubmit={() => finish.mutate({ ticket, code })}>
        <TextField
          key={String(hasApp)}
          label={hasApp ? 'Code' : 'Recovery code'}
          required
          autoFocus
          mono
          autoComplete="one-time-code"
          inputMode={hasApp ? 'numeric' : 'text'}
          spellCheck={false}
          maxLength={64}
          placeholder={hasApp ? '000000' : 'xxxx-xxxx-xxxx-xxxx'}
          error={failure.at('code')}
          value={code}
          onChange={setCode}
        />
        {failure.rest && <Notice look="error">{failure.rest}</Notice>}
        {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
        {!isOver && (
          <Button type="submit" look="primary" busy={finish.isPending} disabled={waitSeconds > 0}>
            {waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Sign in'}
          </Button>
        )}
        <div className="flex flex-wrap gap-2.5">
          <Button look={isOver ? 'primary' : 'quiet'} onClick={onBack}>
            Start again
          </Button>
          {!isOver && (
            <Button look="quiet" onClick={change}>
              {hasApp ? 'Use a recovery code' : 'Use the app'}
            </Button>
          )}
        </div>
      </Form>
    </AuthLayout>
  );
}
