/** The newest errors in the logs of a project. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';

const entries = 5;
export const errorDays = 7;

export function newestErrorsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'newest-errors'],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - errorDays * 86_400_000).toISOString();
      const query = { dataset: '*', level: 'error', from, limit: entries };
      return (await api.queryProjectLogs({ params: { project }, query }, { signal })).data;
    },
  });
}
