/** A project's members and their roles. */

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Role } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type Member = Answer<'listMembers'>['members'][number];

export type RoleChange = { id: string; role: Role; tokens?: 'revoke' | 'keep' };

export function membersQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'members'],
    queryFn: async ({ signal }) => (await api.listMembers({ params: { project } }, { signal })).members,
  });
}

export function useMemberAddition(project: string) {
  return useChange(
    (body: { email: string; role: Role }) => api.addMember({ params: { project }, body }),
    membersQuery(project),
  );
}

/** Shows the new role at once, and reverts it if the service refuses. */
export function useRoleChange(project: string) {
  const queries = useQueryClient();
  const { queryKey } = membersQuery(project);
  return useMutation({
    mutationFn: ({ id, role, tokens = 'revoke' }: RoleChange) =>
      api.setMemberRole({ params: { project, user: id }, body: { role, tokens } }),
    onMutate: async ({ id, role }) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, members =>
        members?.map(member => (member.id === id ? { ...member, role } : member)),
      );
      return { before };
    },
    onError: (_error, _change, context) => queries.setQueryData(queryKey, context?.before),
    onSettled: () => queries.invalidateQueries({ queryKey: ['projects', project] }),
  });
}

export function useMemberRemoval(project: string) {
  return useChange(
    ({ user, tokens }: { user: string; tokens: 'revoke' | 'keep' }) =>
      api.removeMember({ params: { project, user }, query: { tokens } }),
    { queryKey: ['projects', project] },
  );
}
