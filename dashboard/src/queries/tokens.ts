/** A project's API tokens. */

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type Token = Answer<'listTokens'>['tokens'][number];
type NewToken = Input<'createToken'>['body'];

export function tokensQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'tokens'],
    queryFn: async ({ signal }) => (await api.listTokens({ params: { project } }, { signal })).tokens,
  });
}

/** The response contains the token, only this once. */
export function useTokenCreation(project: string) {
  return useChange((body: NewToken) => api.createToken({ params: { project }, body }), tokensQuery(project));
}

/** The response contains the new token, as above. */
export function useShareXUploader(project: string) {
  return useChange(
    (body: Input<'createShareXUploader'>['body']) => api.createShareXUploader({ params: { project }, body }),
    tokensQuery(project),
  );
}

export function useTokenRevocation(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => api.revokeToken({ params: { project, token } }),
    onSuccess: (_, token) => {
      queries.setQueryData(tokensQuery(project).queryKey, tokens => tokens?.filter(({ id }) => id !== token));
      return queries.invalidateQueries(tokensQuery(project));
    },
  });
}
