/** Suggests queries, with their counts, when a search finds nothing. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { printQuery } from '@tapedeck/log-query-language';
import { countQuery, sampleQuery } from '../../queries/logCounts.ts';
import { fieldsQuery, valuesQuery } from '../../queries/logFields.ts';
import type { LogEntry } from '../../queries/logs.ts';
import { makeTerm, nameMetadata } from './queryFilters.ts';
import { type LogSearch, makeLogRequest } from './search.ts';
import { listPlainTerms, suggestQueries } from './suggestedQueries.ts';

type EmptySuggestions = {
  /** Matches of this query in all time; null while unknown, or if all time was searched. */
  inAllTime: number | null;
  questions: readonly { query: string; count: number }[];
};

const plainTermsMax = 2; // terms whose values are looked up
const valuesAsked = 4;
const questionsShownMax = 5;
const anyTime: LogSearch = { range: 'all', from: undefined, to: undefined };

export function useEmptySuggestions(project: string, search: LogSearch): EmptySuggestions {
  const { query = '', dataset } = search;
  const isBounded = search.range !== 'all' || search.from !== undefined || search.to !== undefined;
  const inAllTime = useQuery({
    ...countQuery(project, makeLogRequest({ ...search, ...anyTime })),
    enabled: isBounded && query !== '',
  });
  const everything = makeLogRequest({ dataset, ...anyTime });
  const { data: fields = [] } = useQuery({ ...fieldsQuery(project, everything), enabled: query !== '' });
  const plain = listPlainTerms(query).slice(0, plainTermsMax);
  const values = useQueries({
    queries: plain.map(({ name, value }) =>
      valuesQuery(project, {
        ...everything,
        field: name,
        prefix: value,
        limit: valuesAsked,
        isFollowed: false,
      }),
    ),
  });
  const wanted = plain[0];
  const text = wanted?.value ?? '';
  const sought: LogSearch = { ...search, query: text && printQuery({ kind: 'text', text }) };
  const { data: sample = [] } = useQuery({
    ...sampleQuery(project, makeLogRequest(sought)),
    enabled: text !== '',
  });
  const proposed = suggestQueries(query, {
    fields: fields.map(({ name }) => name),
    values: new Map(
      plain.map(({ name }, index) => [name, values[index]?.data?.map(each => each.value) ?? []]),
    ),
    elsewhere: findElsewhere(sample, text),
  });
  const counts = useQueries({
    queries: proposed.map(each => countQuery(project, makeLogRequest({ ...search, query: each }))),
  });
  const questions = proposed.map((each, index) => ({ query: each, count: counts[index]?.data ?? 0 }));
  return {
    inAllTime: inAllTime.data ?? null,
    questions: questions.filter(({ count }) => count > 0).slice(0, questionsShownMax),
  };
}

function findElsewhere(entries: readonly LogEntry[], value: string): { name: string; value: string }[] {
  const found = entries.flatMap(({ resource, metadata }) => [
    { name: 'resource', value: resource },
    ...Object.entries(metadata).map(([path, each]) => ({ name: nameMetadata(path), value: each })),
  ]);
  const fitting = found.filter(each => each.value.toLowerCase() === value.toLowerCase());
  return [...new Map(fitting.map(each => [printQuery(makeTerm(each.name, each.value)), each])).values()];
}
