/** The query cache: how long data stays fresh, and what happens when the session ends. */

import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from '@tapedeck/client';
import { meQuery } from './session.ts';
import { forgetUploads } from './uploads.ts';

const freshForMs = 10_000; // going back and forth between pages asks nothing anew
const repeatsMax = 2;

type CacheEvents = { onSignedOut: () => void };

export function createQueries({ onSignedOut }: CacheEvents): QueryClient {
  const noteError = (error: Error, asked: QueryKey = []) => {
    // A role that was taken away while the page is open: the page asks what the user may still do.
    if (error instanceof ApiError && error.code === 'role_missing' && !isOfRoles(asked))
      void queries.invalidateQueries({ predicate: ({ queryKey }) => isOfRoles(queryKey) });
    // Without a known user the door is shown already.
    if (!isSignedOut(error) || queries.getQueryData(meQuery.queryKey) === undefined) return;
    queries.clear();
    queries.setQueryData(endedKey, true);
    forgetUploads();
    onSignedOut();
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error, { queryKey }) => noteError(error, queryKey) }),
    mutationCache: new MutationCache({ onError: error => noteError(error) }),
    defaultOptions: {
      queries: {
        staleTime: freshForMs,
        // Offline, a page says so instead of waiting in silence; it asks again as soon as there is a network.
        networkMode: 'always',
        refetchOnReconnect: true,
        // Half a minute was waited for a timeout already.
        retry: (count, error) => count < repeatsMax && isTransient(error) && !isTimeout(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return queries;
}

/** The list of projects, and a project: both have the user's role. */
function isOfRoles([area, , ...rest]: QueryKey): boolean {
  return area === 'projects' && rest.length === 0;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'session_missing';
}

/** The reason for the sign-in page, as its address has it. */
export const sessionEnded = 'session_ended';
const endedKey = [sessionEnded];

/** Whether the session ended without the user's doing; true once. */
export function takeSessionEnd(queries: QueryClient): boolean {
  const hasEnded = queries.getQueryData(endedKey) === true;
  queries.removeQueries({ queryKey: endedKey });
  return hasEnded;
}

function isTimeout(error: Error): boolean {
  return error instanceof ApiError && error.code === 'query_timeout';
}

/** A refusal stays one; trouble on the way or in the service may pass. */
export function isTransient(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
