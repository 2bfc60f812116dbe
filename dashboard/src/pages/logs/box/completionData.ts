/**
 * What is known about the fields and values of a project when a letter is typed. Asked ahead and remembered by what values
 * begin with, so that a list stands there at once; what is asked for nobody any more is cancelled.
 */

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { findTyping } from '@tapedeck/log-query-language';
import { valuesQuery } from '../../../queries/logFields.ts';
import type { Place } from '../../../queryBox/options.ts';
import { useDebouncedValue } from '../../../ui/hooks/useDebouncedValue.ts';
import { useFields } from '../fields.ts';
import { type LogSearch, makeAsking } from '../search.ts';
import { filterValues, findWantedValues, type Known, type KnownValue } from './completion.ts';
import { readRestOfQuery } from './restOfQuery.ts';

const valuesAsked = 100; // as many as the service tells; fewer are all that there are
const prefixCharactersMax = 60; // longer beginnings are not looked up

type CompletionDataProps = {
  project: string;
  search: LogSearch;
  place: Place;
  /** Somebody types, or is about to. */
  isNeeded: boolean;
};

/** Values and fields of the dataset and the time that are searched, among what the rest of the text finds. */
export function useCompletionData({
  project,
  search,
  place,
  isNeeded,
}: CompletionDataProps): Omit<Known, 'searches'> {
  const queries = useQueryClient();
  const { dataset, range, from, to } = search;
  // Counted anew once a term is whole, not with each letter.
  const rest = useDebouncedValue(isNeeded ? readRestOfQuery(place) : '');
  const among: LogSearch = { dataset, range, from, to, query: rest || undefined };
  const asking = makeAsking(among);
  const ask = (field: string, prefix: string) => {
    const limits = { limit: valuesAsked, isFollowed: false } as const;
    // What was known of another field says nothing about this one.
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

/** The values that begin so, of the longest beginning that is known; all of them, where no more were left out. */
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

/** The field whose values are loaded before its colon is typed. */
function findLikelyField(written: string, fields: Known['fields']): string | null {
  if (written === '') return null;
  const lower = written.toLowerCase();
  return fields.find(({ name }) => name.toLowerCase().startsWith(lower))?.name ?? null;
}
