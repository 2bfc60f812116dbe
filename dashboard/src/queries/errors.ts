/** A project's newest errors in its logs, grouped by message. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { type LogPattern, nameValues } from './logPatterns.ts';
import { askAgainAfter, type LogEntry } from './logs.ts';

const entries = 100;
const kinds = 5;
export const errorDays = 7;

type ErrorKind = {
  newest: LogEntry;
  count: number;
  /** True if `count` covers all of the last days, not only the newest entries. */
  isWhole: boolean;
  /** Values of the query field `pattern` that find these entries. */
  values: readonly string[];
};

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
      return groupByRow(found.data, counted.data).slice(0, kinds);
    },
    refetchInterval: askAgainAfter(),
  });
}

/** Groups entries whose patterns share a row. A rare pattern may have no row. */
function groupByRow(found: readonly LogEntry[], rows: readonly LogPattern[]): ErrorKind[] {
  const rowOf = new Map(rows.flatMap(row => row.patterns.map(pattern => [pattern, row] as const)));
  const kindsByKey = new Map<string, ErrorKind>();
  for (const newest of found) {
    const { pattern } = newest;
    const row = rowOf.get(pattern);
    const key = row?.pattern ?? pattern;
    const known = kindsByKey.get(key);
    if (known === undefined) {
      const values = row ? nameValues(row) : [pattern];
      kindsByKey.set(key, { newest, values, count: row?.entries ?? 1, isWhole: row !== undefined });
    } else if (!known.isWhole) known.count += 1;
  }
  return [...kindsByKey.values()];
}
