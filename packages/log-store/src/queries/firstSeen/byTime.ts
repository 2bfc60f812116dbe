/** Finds patterns that first occur in a dataset within the times of a filter. */
import type { LogFilter } from '@tapedeck/log-entries';
import { Binder } from '../../writer/engine/statements.ts';
import { filtersByKeyOnly, formatConditions } from '../conditions.ts';
import type { CountDeps } from '../counts.ts';
import { matchAll } from '../entries.ts';
import { patternText } from '../fields.ts';
import type { NewPattern } from '../logQueries.ts';
import { divideByMinutes } from '../minutes.ts';
import { runQuery } from '../queryRunner.ts';

type FirstPatternsRequest = { withinMs: number; limit: number; signal: AbortSignal };

const groupsShare = 0.3; // of a query's memory; beyond it, the engine puts groups on disk
const never = 'toInt64(9000000000000000)'; // later than all times, in microseconds

export async function findFirstPatterns(
  { runner, table }: CountDeps,
  filter: LogFilter,
  { withinMs, limit, signal }: FirstPatternsRequest,
): Promise<NewPattern[]> {
  const binder = new Binder();
  const sources = listSources(filter, binder).map(
    ({ conditions, isOld, firstAt, matchedAt, found }) =>
      `SELECT dataset, pattern, ${isOld} AS old, ${firstAt} AS firstAt, ${matchedAt} AS matchedAt, ${found} AS found
      FROM ${table} WHERE ${conditions} AND pattern != 0 GROUP BY dataset, pattern`,
  );
  const sql = `SELECT dataset, ${patternText}, entries, intDiv(matched, 1000)
    FROM (
      SELECT dataset, pattern, min(matchedAt) AS matched, sum(found) AS entries
      FROM (${sources.join(' UNION ALL ')}) GROUP BY dataset, pattern
      HAVING max(old) = 0 AND entries > 0 AND matched <= min(firstAt) + ${binder.bind('Int64', withinMs * 1000)}
    )
    ORDER BY matched, dataset, pattern LIMIT ${limit}`;
  const settings = { max_bytes_before_external_group_by: Math.floor(runner.memoryBytesMax * groupsShare) };
  const statement = { sql, parameters: binder.parameters, settings };
  const rows = await runQuery(runner, { weight: 'heavy', signal }, statement);
  // Matches the SELECT.
  return (rows as [string, string, number, number][]).map(([dataset, pattern, count, ms]) => ({
    dataset,
    pattern,
    count,
    ms,
  }));
}

type Source = { conditions: string; isOld: 0 | 1; firstAt: string; matchedAt: string; found: string };

/** Lists the sources to compare: matches, all entries in the times unless the filter already matches all, and earlier entries. */
function listSources(filter: LogFilter, binder: Binder): Source[] {
  const firstTime = 'toUnixTimestamp64Micro(min(timestamp))';
  const everything = { ...matchAll(filter), fromMicros: filter.fromMicros, toMicros: filter.toMicros };
  const matches: Source = {
    conditions: formatConditions(filter, binder),
    isOld: 0,
    firstAt: firstTime,
    matchedAt: firstTime,
    found: 'count()',
  };
  const others: Source = {
    conditions: formatConditions(everything, binder),
    isOld: 0,
    firstAt: firstTime,
    matchedAt: never,
    found: 'toUInt64(0)',
  };
  const { fromMicros } = filter;
  const ages = { startMicros: 0, intervalMicros: fromMicros ?? 0, count: 1 };
  const before =
    fromMicros === null || fromMicros <= 0
      ? []
      : divideByMinutes(
          { filter: { ...everything, fromMicros: null, toMicros: fromMicros - 1 }, buckets: ages },
          binder,
        );
  const earlier = before.map(
    ({ conditions }): Source => ({
      conditions,
      isOld: 1,
      firstAt: never,
      matchedAt: never,
      found: 'toUInt64(0)',
    }),
  );
  return [matches, ...(filtersByKeyOnly(filter) ? [] : [others]), ...earlier];
}
