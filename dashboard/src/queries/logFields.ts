/** Which fields the logs of a project have in a stretch of time, and which values. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { type Asking, askAgainAfter, logsKeyOf } from './logs.ts';

export type LogField = Answer<'listProjectLogFields'>['data'][number];

const fieldsFreshMs = 30_000; // new fields seldom come

type FieldsAsking = Asking & { prefix?: string };

/** Those of most entries first. */
export function fieldsQuery(project: string, { key, question, prefix = '' }: FieldsAsking) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'fields', prefix, key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), ...(prefix !== '' && { prefix }) };
      return (await api.listProjectLogFields({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    staleTime: fieldsFreshMs,
    refetchInterval: askAgainAfter(),
  });
}

type ValuesAsking = Asking & {
  field: string;
  prefix: string;
  limit: number;
  recountIntervalMs: number | false;
};

/** The most frequent first. */
export function valuesQuery(project: string, asking: ValuesAsking) {
  const { key, question, recountIntervalMs, ...asked } = asking;
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'values', asked, key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), ...asked };
      return (await api.listProjectLogValues({ params: { project }, query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: askAgainAfter(recountIntervalMs),
  });
}
