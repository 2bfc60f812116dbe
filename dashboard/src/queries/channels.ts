/** The channels of a project: where its notifications go. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';

export function channelsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'channels'],
    queryFn: async ({ signal }) => (await api.listChannels({ params: { project } }, { signal })).channels,
  });
}
