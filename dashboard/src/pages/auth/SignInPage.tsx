/** Signs users in with email address and password, and with a code if they have a second factor. */
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSignIn } from '../../queries/session.ts';
import { readReturnAddress } from '../../returnAddress.ts';
import { Button } from '../../ui/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { RateLimitNotice, useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { CodeStep } from './CodeStep.tsx';
import { PasskeyButton } from './PasskeyButton.tsx';
import { ProviderButton } from './ProviderButton.tsx';
import { describeTrouble } from './signInTrouble.ts';

export function SignInPage() {
  const [ticket, setTicket] = useState(takeTicket);
  const router = useRouter();
  const { back } = useSearch({ from: '/sign-in' });
  const enter = () => router.history.push(readReturnAddress(back, window.location.origin));
  if (ticket !== null) return <CodeStep ticket={ticket} onSignedIn={enter} onBack={() => setTicket(null)} />;
  return <PasswordStep onSignedIn={enter} onTicket={setTicket} />;
}

/** After the sign-in provider, the user may still have to enter a code. */
function takeTicket(): string | null {
  const ticket = /^#ticket=([\w-]+)$/.exec(window.location.hash)?.[1] ?? null;
  if (ticket !== null)
    window.history.replaceState(window.history.state, '', window.location.href.split('#')[0]);
  return ticket;
}

type PasswordStepProps = { onSignedIn: () => void; onTicket: (ticket: string) => void };

function PasswordStep({ onSignedIn, onTicket }: PasswordStepProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSignIn(onSignedIn, onTicket);
  const { back = '/', trouble } = useSearch({ from: '/sign-in' });
  const { slowed, waitSeconds } = useRateLimit(signIn.error);
  const changeEmail = (typed: string) => {
    setEmail(typed);
    // Another account need not wait for this one.
    signIn.reset();
  };
  return (
    <AuthLayout
      title="Sign in"
      about="Sign in to see your files and logs."
      label="Side A"
      turning={signIn.isPending}
    >
      <Form onSubmit={() => signIn.mutate({ email, password })}>
        <TextField
          label="Email address"
          type="email"
          required
          autoFocus
          autoComplete="username"
          value={email}
          onChange={changeEmail}
        />
        <TextField
          label="Password"
          type="password"
          required
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
        {trouble !== undefined && signIn.isIdle && <Notice look="error">{describeTrouble(trouble)}</Notice>}
        {signIn.error && !slowed && <Notice look="error">{signIn.error.message}</Notice>}
        {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
        <Button type="submit" look="primary" busy={signIn.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Sign in'}
        </Button>
        <PasskeyButton onSignedIn={onSignedIn} />
        <ProviderButton verb="Sign in with" back={back} />
      </Form>
    </AuthLayout>
  );
}
