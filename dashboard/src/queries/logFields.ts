/** Fields and values of a project's logs in a time span. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { openPace } from './liveRefresh.ts';
import { type LogRequest, logsKeyOf, refetchAfter } from './logs.ts';

export type LogField = Answer<'listProjectLogFields'>['data'][number];

const fieldsFreshMs = 30_000; // new fields are rare
const fieldsPace = openPace();
const valuesPace = openPace();

type FieldsRequest = LogRequest & { prefix?: string; isFollowed?: boolean };

/** Lists fields, most frequent first. */
export function fieldsQuery(
  project: string,
  { key, question, prefix = '', isFollowed = false }: FieldsRequest,
) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'fields', prefix, key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), ...(prefix !== '' && { prefix }) };
      const ask = () => api.listProjectLogFields({ params: { project }, query }, { signal });
      return (await fieldsPace.time(ask)).data;
    },
    placeholderData: keepPreviousData,
    staleTime: fieldsFreshMs,
    refetchInterval: refetchAfter(fieldsPace.interval(isFollowed)),
  });
}

type ValuesRequest = LogRequest & {
  field: string;
  prefix: string;
  limit: number;
  isFollowed: boolean;
};

/** Lists values, most frequent first. */
export function valuesQuery(project: string, asking: ValuesRequest) {
  const { key, question, isFollowed, ...asked } = asking;
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'values', asked, key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), ...asked };
      const ask = () => api.listProjectLogValues({ params: { project }, query }, { signal });
      return (await valuesPace.time(ask)).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(valuesPace.interval(isFollowed)),
  });
}
