/** Counts a query's entries and loads a few, for suggestions when a search finds nothing. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { type LogQuestion, type LogRequest, logsKeyOf } from './logs.ts';

const sampleEntries = 50;

export function countQuery(project: string, { key, question }: LogRequest) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'count', key],
    queryFn: ({ signal }) => countMatches(project, question(), signal),
  });
}

/** Counts up to now if the question has no end. */
export async function countMatches(
  project: string,
  question: LogQuestion,
  signal: AbortSignal,
): Promise<number> {
  const query = { ...question, to: question.to ?? new Date().toISOString(), buckets: 1 };
  const { data } = await api.getProjectHistogram({ params: { project }, query }, { signal });
  return data.reduce(
    (sum, { counts }) => sum + Object.values(counts).reduce((all, each) => all + each, 0),
    0,
  );
}

/** Loads the newest matches. */
export function sampleQuery(project: string, { key, question }: LogRequest) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'sample', key],
    queryFn: async ({ signal }) => {
      const query = { ...question(), limit: sampleEntries };
      return (await api.queryProjectLogs({ params: { project }, query }, { signal })).data;
    },
  });
}
