/** Converts parameters of old addresses and saved views to a query. */
import { levels, type Query } from '@tapedeck/log-query-language';
import { readTerms } from '../../format/searchTerms.ts';
import { addTerm, makeTerm } from './queryFilters.ts';

const metadataPrefix = 'metadata.';

/** Appends to the query what it lacks, because the router reads an address several times. Words now match resource names too. */
export function carryParameters(texts: Readonly<Record<string, string>>): string {
  const { query = '', level = '', resource = '', q = '' } = texts;
  const chosen = levels.filter(known => level.split(',').includes(known));
  const isNarrow = chosen.length > 0 && chosen.length < levels.length;
  const terms: Query[] = [
    ...(isNarrow ? [{ kind: 'level', levels: chosen } as const] : []),
    ...(resource === '' ? [] : [makeTerm('resource', resource)]),
    ...Object.entries(texts).flatMap(([key, value]) => {
      const isMeant = key.startsWith(metadataPrefix) && key !== metadataPrefix && value !== '';
      return isMeant ? [makeTerm(key, value)] : [];
    }),
    ...readTerms(q).map(text => ({ kind: 'text', text }) as const),
  ];
  return terms.reduce(addTerm, query);
}
