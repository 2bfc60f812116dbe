/** Loads the fields of the results. Puts those first that set the results apart from the other entries. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fieldsQuery, type LogField } from '../../queries/logFields.ts';
import { readBox } from '../../queryBox/queryErrors.ts';
import { orderDistinctiveFirst } from './distinctiveFields.ts';
import { type LogSearch, makeLogRequest } from './search.ts';

const answeredMax = 500; // the service's maximum

/** Loads fields. If the list is cut off, also loads those that start with `sought`. */
export function useFields(project: string, search: LogSearch, sought = '') {
  const { dataset, range, from, to, query = '', live } = search;
  // An invalid query finds nothing, so the fields of all entries stay.
  const isNarrowed = query.trim() !== '' && readBox(query, null).mistake === null;
  const { everything, asking } = useMemo(() => {
    const span: LogSearch = { dataset, range, from, to };
    const narrowed = isNarrowed ? { ...span, query } : span;
    return { everything: makeLogRequest(span), asking: makeLogRequest(narrowed) };
  }, [dataset, range, from, to, query, isNarrowed]);
  const isFollowed = live !== undefined;
  const { data: all } = useQuery({ ...fieldsQuery(project, everything), enabled: isNarrowed });
  const { data, isPending, error } = useQuery(fieldsQuery(project, { ...asking, isFollowed }));
  const isCut = (data?.length ?? 0) >= answeredMax;
  const { data: others } = useQuery({
    ...fieldsQuery(project, { ...asking, prefix: sought }),
    enabled: isCut && sought !== '',
  });
  const fields = useMemo(() => {
    const first: readonly LogField[] = data ?? [];
    const ordered = isNarrowed && all !== undefined ? orderDistinctiveFirst(first, all) : first;
    const known = new Set(first.map(({ name }) => name));
    return [...ordered, ...(others ?? []).filter(({ name }) => !known.has(name))];
  }, [data, others, all, isNarrowed]);
  return { fields, isPending, error };
}
