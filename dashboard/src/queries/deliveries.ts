/** A project's notifications, loaded page by page. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type Delivery = Answer<'listDeliveries'>['deliveries'][number];

const pageDeliveries = 25;
const refetchMs = { pending: 3_000, settled: 15_000 };

const deliveriesKey = (project: string) => ['projects', project, 'deliveries'];

/** Limited to a channel or rule, if given. */
export function deliveriesQuery(project: string, of: { channel?: string; rule?: string }) {
  return infiniteQueryOptions({
    queryKey: [...deliveriesKey(project), of],
    // The first page has no cursor, so its type would be undefined.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...of, limit: pageDeliveries, before: pageParam };
      return api.listDeliveries({ params: { project }, query }, { signal });
    },
    getNextPageParam: page => page.nextBefore ?? undefined,
    refetchInterval: ({ state }) => {
      const first = state.data?.pages[0]?.deliveries ?? [];
      return first.some(each => each.state === 'pending') ? refetchMs.pending : refetchMs.settled;
    },
  });
}

export function useRepetition(project: string) {
  return useChange((delivery: string) => api.repeatDelivery({ params: { project, delivery } }), {
    queryKey: deliveriesKey(project),
  });
}
