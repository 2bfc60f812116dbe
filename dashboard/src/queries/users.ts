/** The installation's users, for owners. */

import { queryOptions } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type User = Answer<'listUsers'>['users'][number];
export type NewUser = Input<'createUser'>['body'];
export type UserChanges = Input<'updateUser'>['body'];

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }) => (await api.listUsers({}, { signal })).users,
});

export function userQuery(user: string) {
  return queryOptions({
    queryKey: ['users', user],
    queryFn: ({ signal }) => api.getUser({ params: { user } }, { signal }),
  });
}

export function useUserCreation() {
  return useChange((body: NewUser) => api.createUser({ body }), usersQuery);
}

export function useUserChange(user: string) {
  return useChange((body: UserChanges) => api.updateUser({ params: { user }, body }), usersQuery);
}

/** For a user who lost the app and the recovery codes. */
export function useFactorReset(user: string) {
  return useChange(() => api.resetSecondFactor({ params: { user } }), userQuery(user));
}

export function useUserDeletion() {
  return useChange(
    ({ user, tokens }: { user: string; tokens: 'revoke' | 'keep' }) =>
      api.deleteUser({ params: { user }, query: { tokens } }),
    usersQuery,
  );
}
