/** What the logs of a project say but for numbers, names and times. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { type Asking, askAgainAfter, logsKeyOf } from './logs.ts';

export type FoundPatterns = Answer<'listProjectLogPatterns'>;
export type LogPattern = FoundPatterns['data'][number];

const buckets = 30; // bars of a sparkline

type PatternsAsking = Asking & {
  /** Those alone of which no entry is older. */
  isNew: boolean;
  recountIntervalMs: number | false;
};

export function patternsQuery(project: string, { key, question, isNew, recountIntervalMs }: PatternsAsking) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'patterns', isNew, key],
    queryFn: ({ signal }): Promise<FoundPatterns> => {
      const asked = question();
      // An open end is now, as in the histogram.
      const query = { ...asked, to: asked.to ?? new Date().toISOString(), buckets };
      return api.listProjectLogPatterns(
        { params: { project }, query: { ...query, ...(isNew && { new: 'true' }) } },
        { signal },
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: askAgainAfter(recountIntervalMs),
  });
}
