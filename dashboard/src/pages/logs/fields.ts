/** The fields of the time and dataset that are searched, whatever else is asked: they stay as they are while one narrows down. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fieldsQuery } from '../../queries/logFields.ts';
import { askLogs, keyOf, type LogSearch } from './search.ts';

const answeredMax = 500; // as many as the service names at a time

/** Those of most entries first. What is `sought` is asked for by its beginning where there are more than were named. */
export function useFields(project: string, search: LogSearch, sought = '') {
  const { dataset, range, from, to } = search;
  const asking = useMemo(() => {
    const span: LogSearch = { dataset, range, from, to };
    return { key: keyOf(span), question: () => askLogs(span, Date.now()) };
  }, [dataset, range, from, to]);
  const { data, isPending, error } = useQuery(fieldsQuery(project, asking));
  const isCut = (data?.length ?? 0) >= answeredMax;
  const { data: others } = useQuery({
    ...fieldsQuery(project, { ...asking, prefix: sought }),
    enabled: isCut && sought !== '',
  });
  const fields = useMemo(() => {
    const known = new Set(data?.map(({ name }) => name));
    return [...(data ?? []), ...(others ?? []).filter(({ name }) => !known.has(name))];
  }, [data, others]);
  return { fields, isPending, error };
}
