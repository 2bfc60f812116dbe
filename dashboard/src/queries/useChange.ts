/** Makes a change at the service, and then refreshes the query that shows it. */
import { type InvalidateQueryFilters, useMutation, useQueryClient } from '@tanstack/react-query';

export function useChange<Result, Given = void>(
  change: (given: Given) => Promise<Result>,
  shown: InvalidateQueryFilters,
) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => queries.invalidateQueries(shown) });
}
