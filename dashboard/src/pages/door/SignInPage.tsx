/** Signing in with e-mail address and password. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';
import { useState } from 'react';
import { api } from '../../api.ts';
import { readBack } from '../../back.ts';
import { Button } from '../../parts/Button.tsx';
import { Form } from '../../parts/Form.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { TextField } from '../../parts/TextField.tsx';
import { stateQuery } from '../../queries/session.ts';
import { useCountdown } from './countdown.ts';
import { Door } from './Door.tsx';

export function SignInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSignIn();
  const slowed = signIn.error instanceof ApiError && signIn.error.code === 'sign_in_slowed';
  const waitSeconds = useCountdown(slowed ? signIn.error : null);
  const changeEmail = (typed: string) => {
    setEmail(typed);
    // Another account need not wait for this one.
    signIn.reset();
  };
  return (
    <Door
      title="Sign in"
      about="Your files and logs are behind this door."
      label="Side A"
      turning={signIn.isPending}
    >
      <Form onSubmit={() => signIn.mutate({ email, password })}>
        <TextField
          label="E-mail address"
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
        {signIn.error && !slowed && <Notice look="error">{signIn.error.message}</Notice>}
        {waitSeconds > 0 && <Slowed seconds={waitSeconds} />}
        <Button type="submit" look="primary" busy={signIn.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Sign in'}
        </Button>
      </Form>
    </Door>
  );
}

export function Slowed({ seconds }: { seconds: number }) {
  return (
    <Notice look="warning">
      Too many wrong attempts. The door opens again in {seconds} {seconds === 1 ? 'second' : 'seconds'}.
    </Notice>
  );
}

function useSignIn() {
  const queries = useQueryClient();
  const router = useRouter();
  const { back } = useSearch({ from: '/sign-in' });
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => api.signIn({ body }),
    onSuccess: () => {
      queries.removeQueries({ predicate: query => query.queryKey[0] !== stateQuery.queryKey[0] });
      router.history.push(readBack(back, window.location.origin));
    },
  });
}
