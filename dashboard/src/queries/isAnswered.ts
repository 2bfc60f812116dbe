/** Tells whether a query has an answer. A failed attempt counts, because the next may take long. */
import type { UseQueryResult } from '@tanstack/react-query';

export function isAnswered({ isFetched, failureCount }: UseQueryResult): boolean {
  return isFetched || failureCount > 0;
}
