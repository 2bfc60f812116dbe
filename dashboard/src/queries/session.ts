/** The signed-in user; set-up, sign-in and sign-out. */

import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { requestPasskey } from '../webAuthn.ts';
import { announceOtherUser } from './tabs.ts';
import { forgetUploads, holdUploads } from './uploader.ts';

export type SignedInUser = NonNullable<Answer<'getMe'>['user']>;
export type Session = Answer<'listMySessions'>['sessions'][number];

export const stateQuery = queryOptions({
  queryKey: ['state'],
  queryFn: ({ signal }) => api.getState({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.getMe({}, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: async ({ signal }) => (await api.listMySessions({}, { signal })).sessions,
});

/** Returns the user. Pages that call it open only once the user is known. */
export function useMe(): SignedInUser {
  const { user } = useSuspenseQuery(meQuery).data;
  if (user === null) throw new Error('The dashboard signs in by cookie, so a user is always known.');
  return user;
}

export function useSetUp(onSignedIn: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<'setUp'>['body']) => api.setUp({ body }),
    onSuccess: () => {
      queries.clear();
      onSignedIn();
    },
  });
}

/** Users with a second factor get a ticket to return with a code. */
export function useSignIn(onSignedIn: () => void, onTicket: (ticket: string) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<'signIn'>['body']) => api.signIn({ body }),
    onSuccess: answer => {
      if ('ticket' in answer) return onTicket(answer.ticket);
      changeUser(queries, { isSignedIn: true });
      onSignedIn();
    },
  });
}

export function useSignInFinish(onSignedIn: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<'finishSignIn'>['body']) => api.finishSignIn({ body }),
    onSuccess: () => {
      changeUser(queries, { isSignedIn: true });
      onSignedIn();
    },
  });
}

export function usePasskeySignIn(onSignedIn: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const { ticket, options } = await api.beginPasskeySignIn();
      return api.signInByPasskey({ body: { ticket, credential: await requestPasskey(options) } });
    },
    onSuccess: () => {
      changeUser(queries, { isSignedIn: true });
      onSignedIn();
    },
  });
}

/** Opens the sign-in provider, which sends the browser back. */
export function useProviderSignIn() {
  return useMutation({
    mutationFn: (body: Input<'beginProviderSignIn'>['body']) => api.beginProviderSignIn({ body }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

/** Leaves the page first, then drops the user's data. */
export function useSignOut(leave: () => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.signOut(),
    onSuccess: async () => {
      await leave();
      changeUser(queries, { isSignedIn: false });
    },
  });
}

/** Drops everything of the previous user but uploads, which the same user may continue, and what is the same for every visitor. */
export function changeUser(queries: QueryClient, { isSignedIn }: { isSignedIn: boolean }): void {
  queries.removeQueries({ predicate: query => query.queryKey[0] !== stateQuery.queryKey[0] });
  queries.setQueryData(stateQuery.queryKey, state => state && { ...state, isSignedIn });
  if (isSignedIn) holdUploads();
  else forgetUploads();
  announceOtherUser({ isSignedIn });
}

export function usePasswordChange(onChanged: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<'changePassword'>['body']) => api.changePassword({ body }),
    onSuccess: () => {
      onChanged();
      return queries.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  });
}

/** Hides the session at once, and shows it again if the request fails. */
export function useSessionEnding() {
  const queries = useQueryClient();
  const { queryKey } = sessionsQuery;
  return useMutation({
    mutationFn: (session: string) => api.endMySession({ params: { session } }),
    onMutate: async session => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, sessions => sessions?.filter(({ id }) => id !== session));
      return { before };
    },
    onError: (_error, _session, context) => queries.setQueryData(queryKey, context?.before),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}
