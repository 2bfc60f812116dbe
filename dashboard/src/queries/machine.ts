/** The state of the machine, for owners of the installation. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { lookAgainMs } from './home.ts';
import { askAgainAfter } from './logs.ts';

export type Machine = Answer<'getMachine'>;

export const machineQuery = queryOptions({
  queryKey: ['machine'],
  queryFn: ({ signal }) => api.getMachine({}, { signal }),
  refetchInterval: askAgainAfter(lookAgainMs),
  retry: false, // a tile says so, and asks again by itself
});
