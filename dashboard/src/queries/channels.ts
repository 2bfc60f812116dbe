/** A project's channels, which receive its notifications. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type Channel = Answer<'listChannels'>['channels'][number];
type NewChannel = Input<'createChannel'>['body'];
export type ChannelChanges = Input<'updateChannel'>['body'];
export type ChannelTest = Answer<'testChannel'>;

export function channelsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'channels'],
    queryFn: async ({ signal }) => (await api.listChannels({ params: { project } }, { signal })).channels,
  });
}

/** The response contains the secret, if any, only this once. */
export function useChannelCreation(project: string) {
  return useChange(
    (body: NewChannel) => api.createChannel({ params: { project }, body }),
    channelsQuery(project),
  );
}

export function useChannelChange(project: string) {
  return useChange(
    ({ id, changes }: { id: string; changes: ChannelChanges }) =>
      api.updateChannel({ params: { project, channel: id }, body: changes }),
    channelsQuery(project),
  );
}

export function useChannelDeletion(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (channel: string) => api.deleteChannel({ params: { project, channel } }),
    onSuccess: (_, channel) => {
      queries.setQueryData(channelsQuery(project).queryKey, channels =>
        channels?.filter(({ id }) => id !== channel),
      );
      return queries.invalidateQueries(channelsQuery(project));
    },
  });
}

export function useChannelTest(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (channel: string) => api.testChannel({ params: { project, channel } }),
    onSettled: () => queries.invalidateQueries(channelsQuery(project)),
  });
}

/** Returns the new secret, only this once. */
export function useSecretRotation(project: string) {
  return useMutation({
    mutationFn: async (channel: string) => (await api.rotateChannel({ params: { project, channel } })).secret,
  });
}
