/** The service's report on its own health. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';

const lookIntervalMs = 15_000;

/** How far log entries of an earlier version are completed; null when nothing is lacking. */
export const backfillQuery = queryOptions({
  queryKey: ['preparing'],
  queryFn: async ({ signal }) => (await api.getReadiness({}, { signal })).preparing ?? null,
  refetchInterval: ({ state }) => (state.data ? lookIntervalMs : false),
  retry: false, // the service is not ready, which pages say themselves
});
