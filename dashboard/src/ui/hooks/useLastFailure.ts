/** Returns a query's failure until the query succeeds. */
import { useRef } from 'react';

type Asked = { error: Error | null; failureReason: Error | null; data: unknown };

/** A query without data forgets its failure on each retry, so the message would flicker. `key` identifies the query. */
export function useLastFailure({ error, failureReason, data }: Asked, key: string): Error | null {
  const last = useRef<{ key: string; failure: Error } | null>(null);
  const failure = error ?? failureReason;
  if (failure !== null) last.current = { key, failure };
  else if (data !== undefined || last.current?.key !== key) last.current = null;
  return last.current?.failure ?? null;
}

/** Like `useLastFailure`, without failures that are still being retried. */
export function useLastError({ error, data }: Pick<Asked, 'error' | 'data'>, key: string): Error | null {
  return useLastFailure({ error, data, failureReason: null }, key);
}
