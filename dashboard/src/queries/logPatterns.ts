/** Patterns of a project's logs: messages without their numbers, names and times. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { openPace } from './liveRefresh.ts';
import { type LogRequest, logsKeyOf, refetchAfter } from './logs.ts';

export type FoundPatterns = Answer<'listProjectLogPatterns'>;
export type LogPattern = FoundPatterns['data'][number];

const buckets = 30; // bars of a sparkline
const pace = openPace();

type PatternsRequest = LogRequest & {
  /** True to list only patterns without older entries. */
  isNew: boolean;
  isFollowed: boolean;
};

export function patternsQuery(project: string, { key, question, isNew, isFollowed }: PatternsRequest) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'patterns', isNew, key],
    queryFn: ({ signal }): Promise<FoundPatterns> => {
      const asked = question();
      // An open range ends now, as in the histogram.
      const query = { ...asked, to: asked.to ?? new Date().toISOString(), buckets };
      const patternsAsked = { ...query, ...(isNew && { new: 'true' }) };
      return pace.time(() =>
        api.listProjectLogPatterns({ params: { project }, query: patternsAsked }, { signal }),
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchAfter(pace.interval(isFollowed)),
  });
}

type Named = Pick<LogPattern, 'patterns' | 'variants' | 'template'>;

/** Returns the values of the query field `pattern` that match a row's entries. */
export function nameValues({ patterns, variants, template }: Named): readonly string[] {
  return variants > patterns.length ? [template] : patterns;
}
