/** True once a query has a response. A failed attempt counts, because the next one may take a while. */
import type { UseQueryResult } from '@tanstack/react-query';

export function isAnswered({ isFetched, failureCount }: UseQueryResult): boolean {
  return isFetched || failureCount > 0;
}
