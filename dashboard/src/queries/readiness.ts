/** The service's report on its own health. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';

const pollIntervalMs = 15_000;

/** How far the service has prepared entries of an earlier version; null if all are done. */
export const backfillQuery = queryOptions({
  queryKey: ['preparing'],
  queryFn: async ({ signal }) => (await api.getReadiness({}, { signal })).preparing ?? null,
  refetchInterval: ({ state }) => (state.data ? pollIntervalMs : false),
  retry: false, // the service is not ready; pages say so themselves
});
