/** The failure of a question, shown until it is answered. */
import { useRef } from 'react';

type Asked = { error: Error | null; failureReason: Error | null; data: unknown };

/**
 * A question without an answer forgets why it failed whenever it is asked again, so that its message would come and go. `key` tells one
 * question from another.
 */
export function useLastFailure({ error, failureReason, data }: Asked, key: string): Error | null {
  const last = useRef<{ key: string; failure: Error } | null>(null);
  const failure = error ?? failureReason;
  if (failure !== null) last.current = { key, failure };
  else if (data !== undefined || last.current?.key !== key) last.current = null;
  return last.current?.failure ?? null;
}

/** The same without failures that are still being retried. */
export function useLastError({ error, data }: Pick<Asked, 'error' | 'data'>, key: string): Error | null {
  return useLastFailure({ error, data, failureReason: null }, key);
}
