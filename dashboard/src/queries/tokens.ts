/** The API tokens of a project. */

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';

export type Token = Answer<'listTokens'>['tokens'][number];
type NewToken = Input<'createToken'>['body'];

export function tokensQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'tokens'],
    queryFn: async ({ signal }) => (await api.listTokens({ params: { project } }, { signal })).tokens,
  });
}

/** The answer holds the token's text, the only time it is told. */
export function useTokenCreation(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewToken) => api.createToken({ params: { project }, body }),
    onSuccess: () => queries.invalidateQueries(tokensQuery(project)),
  });
}

/** The answer holds the text of a new token, as above. */
export function useShareXUploader(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<'createShareXUploader'>['body']) =>
      api.createShareXUploader({ params: { project }, body }),
    onSuccess: () => queries.invalidateQueries(tokensQuery(project)),
  });
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
