/** The installation's users, for owners. */

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';

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
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewUser) => api.createUser({ body }),
    onSuccess: () => queries.invalidateQueries(usersQuery),
  });
}

export function useUserChange(user: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: UserChanges) => api.updateUser({ params: { user }, body }),
    onSuccess: () => queries.invalidateQueries(usersQuery),
  });
}

/** For a user who lost the app and the recovery codes. */
export function useFactorReset(user: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.resetSecondFactor({ params: { user } }),
    onSuccess: () => queries.invalidateQueries(userQuery(user)),
  });
}

export function useUserDeletion() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ user, tokens }: { user: string; tokens: 'revoke' | 'keep' }) =>
      api.deleteUser({ params: { user }, query: { tokens } }),
    onSuccess: () => queries.invalidateQueries(usersQuery),
  });
}
