/** The newest errors in the logs of a project, those that say the same together. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import type { LogEntry } from './logs.ts';

const entries = 100;
const kinds = 5;
export const errorDays = 7;

/** `newest`: of the entries of this pattern. */
type ErrorKind = { newest: LogEntry; count: number };

export function newestErrorsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'newest-errors'],
    queryFn: async ({ signal }): Promise<ErrorKind[]> => {
      const from = new Date(Date.now() - errorDays * 86_400_000).toISOString();
      const query = { dataset: '*', level: 'error', from };
      const params = { project };
      const [found, counted] = await Promise.all([
        api.queryProjectLogs({ params, query: { ...query, limit: entries } }, { signal }),
        api.listProjectLogPatterns({ params, query }, { signal }),
      ]);
      const counts = new Map(counted.data.map(({ pattern, entries: count }) => [pattern, count]));
      return groupByPattern(found.data, counts).slice(0, kinds);
    },
  });
}

/** A rare pattern may not be among those that were counted; then its entries here are. */
function groupByPattern(found: readonly LogEntry[], counts: ReadonlyMap<string, number>): ErrorKind[] {
  const groups = new Map<string, LogEntry[]>();
  for (const entry of found) groups.set(entry.pattern, [...(groups.get(entry.pattern) ?? []), entry]);
  return [...groups].flatMap(([pattern, [newest, ...others]]) =>
    newest === undefined ? [] : [{ newest, count: counts.get(pattern) ?? others.length + 1 }],
  );
}
