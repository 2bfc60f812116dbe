/** A project's newest errors in its logs, grouped by message. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { toggleOnly } from '../pages/logs/queryFilters.ts';
import { type LogPattern, nameValues } from './logPatterns.ts';
import { type LogEntry, refetchAfter } from './logs.ts';

const entries = 100;
const kinds = 5;
const cutRowsMax = 10; // requests; few errors have so many kinds of words
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
      const rowOf = new Map(
        counted.data.flatMap(row => row.patterns.map(pattern => [pattern, row] as const)),
      );
      if (found.data.some(({ pattern }) => !rowOf.has(pattern))) {
        const find = findMembers(project, { query, signal, since: found.data.at(-1)?.timestamp ?? from });
        const listed = await Promise.all(counted.data.filter(isCut).slice(0, cutRowsMax).map(find));
        for (const each of listed) for (const [pattern, row] of each) rowOf.set(pattern, row);
      }
      return groupByRow(found.data, rowOf).slice(0, kinds);
    },
    refetchInterval: refetchAfter(),
  });
}

/** Whether the row lists only some of its patterns. */
function isCut({ variants, patterns }: LogPattern): boolean {
  return variants > patterns.length;
}

type Finding = {
  query: { dataset: string; level: string; from: string };
  signal: AbortSignal;
  since: string;
};

/** Lists the patterns of the row's newest entries. */
function findMembers(project: string, { query, signal, since }: Finding) {
  return async (row: LogPattern): Promise<(readonly [string, LogPattern])[]> => {
    if (Date.parse(row.lastSeenAt) < Date.parse(since)) return [];
    const asked = {
      ...query,
      from: since,
      query: toggleOnly('', 'pattern', nameValues(row)),
      limit: entries,
    };
    const { data } = await api.queryProjectLogs({ params: { project }, query: asked }, { signal });
    return data.map(({ pattern }) => [pattern, row] as const);
  };
}

/** Groups entries whose patterns share a row. A rare pattern may have no row. */
function groupByRow(found: readonly LogEntry[], rowOf: ReadonlyMap<string, LogPattern>): ErrorKind[] {
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
