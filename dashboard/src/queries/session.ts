/** Who is signed in, and whether anybody can be yet. */

import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

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

/** Pages behind the door are shown only once the user is known. */
export function useMe(): SignedInUser {
  const { user } = useSuspenseQuery(meQuery).data;
  if (user === null) throw new Error('The dashboard signs in by cookie, so that a user is always known.');
  return user;
}
