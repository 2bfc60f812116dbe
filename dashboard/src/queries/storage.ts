/** A project's storage by kind, and its growth. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { refetchMs } from './home.ts';
import { refetchAfter } from './logs.ts';

export type Storage = Answer<'getStorage'>;

export function storageQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'storage'],
    queryFn: ({ signal }) => api.getStorage({ params: { project } }, { signal }),
    refetchInterval: refetchAfter(refetchMs),
    retry: false, // the tile shows the error, and this query runs again
  });
}
