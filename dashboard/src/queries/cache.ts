/** The query cache: how long data stays fresh, and what happens when the session ends. */

import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from '@tapedeck/client';
import { meQuery } from './session.ts';
import { onOtherUser } from './tabs.ts';
import { forgetUploads, holdUploads } from './uploader.ts';

const freshForMs = 10_000; // moving between pages sends no new queries
const repeatsMax = 2;

type CacheEvents = {
  onSignedOut: () => void;
  /** Another tab has signed in. */
  onSignedIn: () => void;
};

export function createQueries({ onSignedOut, onSignedIn }: CacheEvents): QueryClient {
  const forgetUser = () => {
    queries.clear();
    holdUploads();
  };
  const handleError = (error: Error, queryKey: QueryKey = []) => {
    if (error instanceof ApiError) forgetRefused(queries, error, queryKey);
    // Without a known user the sign-in page is already open.
    if (!isSignedOut(error) || queries.getQueryData(meQuery.queryKey) === undefined) return;
    forgetUser();
    queries.setQueryData(endedKey, true);
    onSignedOut();
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error, { queryKey }) => handleError(error, queryKey) }),
    mutationCache: new MutationCache({ onError: error => handleError(error) }),
    defaultOptions: {
      queries: {
        staleTime: freshForMs,
        // Offline, pages show an error instead of waiting, and query again once there is a network.
        networkMode: 'always',
        refetchOnReconnect: true,
        // A timeout already took half a minute.
        retry: (count, error) => count < repeatsMax && isTransient(error) && !isTimeout(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  onOtherUser(isSignedIn => {
    forgetUser();
    if (isSignedIn) return onSignedIn();
    forgetUploads();
    onSignedOut();
  });
  return queries;
}

/** Forgets what the user may no longer read, if they lost a role or their place in a project while the page is open. */
function forgetRefused(queries: QueryClient, { code }: ApiError, queryKey: QueryKey): void {
  const isMutation = queryKey.length === 0;
  const isOfProject = isMutation || (queryKey[0] === 'projects' && queryKey.length > 1);
  if (code !== 'role_missing' && !(code === 'not_found' && isOfProject)) return;
  const isKnown = queries.getQueryData(queryKey) !== undefined;
  if (code === 'role_missing' && isKnown) void queries.resetQueries({ queryKey, exact: true });
  if (code === 'not_found' && isOfRoles(queryKey) && isKnown) void queries.resetQueries({ queryKey });
  if (!isOfRoles(queryKey)) void queries.invalidateQueries({ predicate: query => isOfRoles(query.queryKey) });
}

/** True for the list of projects and for a project, which hold the user's role. */
function isOfRoles([area, , ...rest]: QueryKey): boolean {
  return area === 'projects' && rest.length === 0;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'session_missing';
}

/** The code in the sign-in page's address. */
export const sessionEnded = 'session_ended';
const endedKey = [sessionEnded];

/** Returns true, once, if the session ended without the user's doing. */
export function takeSessionEnd(queries: QueryClient): boolean {
  const hasEnded = queries.getQueryData(endedKey) === true;
  queries.removeQueries({ queryKey: endedKey });
  return hasEnded;
}

function isTimeout(error: Error): boolean {
  return error instanceof ApiError && error.code === 'query_timeout';
}

/** Network and server errors may pass; other errors stay. */
export function isTransient(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
