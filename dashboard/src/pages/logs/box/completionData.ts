/**
 * Loads a project's fields and values for completion ahead of time, and caches them by prefix, so that the list opens at once. Cancels queries that
 * the box no longer needs.
 */

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { findTyping } from '@tapedeck/log-query-language';
import { valuesQuery } from '../../../queries/logFields.ts';
import type { Place } from '../../../queryBox/options.ts';
import { useDebouncedValue } from '../../../ui/hooks/useDebouncedValue.ts';
import { useFields } from '../fields.ts';
import { type LogSearch, makeLogRequest } from '../search.ts';
import { filterValues, findWantedValues, type Known, type KnownValue } from './completion.ts';
import { readRestOfQuery } from './restOfQuery.ts';

const valuesAsked = 100; // the service's maximum; fewer values are the complete list
const prefixCharactersMax = 60; // longer prefixes are not looked up

type CompletionDataProps = {
  project: string;
  search: LogSearch;
  place: Place;
  /** True while the user types, or is about to. */
  isNeeded: boolean;
};

/** Returns values and fields in the searched dataset and time, counted among matches of the rest of the text. */
export function useCompletionData({
  project,
  search,
  place,
  isNeeded,
}: CompletionDataProps): Omit<Known, 'searches'> {
  const queries = useQueryClient();
  const { dataset, range, from, to } = search;
  // Counts again once a term is complete, not on each letter.
  const rest = useDebouncedValue(isNeeded ? readRestOfQuery(place) : '');
  const among: LogSearch = { dataset, range, from, to, query: rest || undefined };
  const asking = makeLogRequest(among);
  const ask = (field: string, prefix: string) => {
    const limits = { limit: valuesAsked, isFollowed: false } as const;
    // Drops the placeholder, because another field's values say nothing about this one.
    const { placeholderData: _, ...question } = valuesQuery(project, { ...asking, field, prefix, ...limits });
    return question;
  };
  const { data: resources = [] } = useQuery({ ...ask('resource', ''), enabled: isNeeded });
  const name = findTypedName(place);
  const { fields } = useFields(project, among, name);
  const wanted = findWantedValues(place);
  const field = wanted?.field ?? findLikelyField(name, fields);
  const prefix = wanted?.prefix ?? '';
  const remembered = recall(queries, prefix, begin => ask(field ?? '', begin).queryKey);
  const { data: values } = useQuery({
    ...ask(field ?? '', prefix),
    enabled: isNeeded && field !== null && !remembered.areAll,
  });
  return { fields, resources, values: values ?? remembered.values };
}

/** Returns cached values with this prefix, from its longest cached start. `areAll`: that list was complete. */
function recall(
  queries: QueryClient,
  prefix: string,
  keyFor: (begin: string) => readonly unknown[],
): { values: readonly KnownValue[]; areAll: boolean } {
  for (let length = Math.min(prefix.length, prefixCharactersMax); length >= 0; length--) {
    const known = queries.getQueryData<readonly KnownValue[]>(keyFor(prefix.slice(0, length)));
    if (known !== undefined)
      return {
        values: filterValues(known, prefix),
        areAll: known.length < valuesAsked && length < prefix.length,
      };
  }
  return { values: [], areAll: false };
}

function findTypedName({ text, caret }: Place): string {
  const typing = findTyping(text, caret);
  return typing.kind === 'name' && !typing.isQuoted ? typing.written : '';
}

/** Returns the field whose values to load before the user types its colon. */
function findLikelyField(written: string, fields: Known['fields']): string | null {
  if (written === '') return null;
  const lower = written.toLowerCase();
  return fields.find(({ name }) => name.toLowerCase().startsWith(lower))?.name ?? null;
}
