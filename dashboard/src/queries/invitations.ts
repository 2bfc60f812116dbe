/** Invitations to a project or (null) the installation, and the one in a link. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input, Role } from '@tapedeck/client';
import { api } from '../api.ts';
import { changeUser } from './session.ts';
import { useChange } from './useChange.ts';

export type Invitation = Answer<'listInvitations'>['invitations'][number];
export type Offer = Answer<'readInvitation'>;
export type Wishes = { role: Role; email?: string; expiresIn: number };

export function invitationsQuery(project: string | null) {
  return queryOptions({
    queryKey: project === null ? ['invitations'] : ['projects', project, 'invitations'],
    queryFn: async ({ signal }) => {
      if (project === null) return (await api.listUserInvitations({}, { signal })).invitations;
      return (await api.listInvitations({ params: { project } }, { signal })).invitations;
    },
  });
}

export function useInviting(project: string | null) {
  return useChange(
    ({ role, ...wishes }: Wishes) =>
      project === null
        ? api.createUserInvitation({ body: wishes })
        : api.createInvitation({ params: { project }, body: { role, ...wishes } }),
    invitationsQuery(project),
  );
}

export function useInvitationRevocation(project: string | null) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (invitation: string) =>
      project === null
        ? api.revokeUserInvitation({ params: { invitation } })
        : api.revokeInvitation({ params: { project, invitation } }),
    onSettled: () => queries.invalidateQueries(invitationsQuery(project)),
  });
}

/** Loads an invitation's contents. An invalid link stays invalid. */
export function offerQuery(secret: string) {
  return queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => api.readInvitation({ body: { secret } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export function useJoining(onJoined: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<'joinByInvitation'>['body']) => api.joinByInvitation({ body }),
    onSuccess: () => {
      changeUser(queries, { isSignedIn: true });
      onJoined();
    },
  });
}

export function useAcceptance(onAccepted: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (secret: string) => api.acceptInvitation({ body: { secret } }),
    onSuccess: () => {
      void queries.invalidateQueries({ refetchType: 'none' }); // the user has a new project
      onAccepted();
    },
  });
}
