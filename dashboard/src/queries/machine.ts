/** The machine's state, for owners of the installation. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { refetchMs } from './home.ts';
import { refetchAfter } from './logs.ts';

export type Machine = Answer<'getMachine'>;

export const machineQuery = queryOptions({
  queryKey: ['machine'],
  queryFn: ({ signal }) => api.getMachine({}, { signal }),
  refetchInterval: refetchAfter(refetchMs),
  retry: false, // the tile shows the error, and this query runs again
});
