/** Finds patterns that came into a dataset for the first time within a span of arrival. */
import type { LogFilter } from '@tapedeck/log-entries';
import { formatSpan, openTimes } from './arrivedCounts.ts';
import { Binder, bindMicros } from './binder.ts';
import { formatConditions, formatDatasets } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { patternText } from './fields.ts';
import type { NewPattern, SettledSpan } from './logQueries.ts';
import { askRows } from './running.ts';

const patternsMax = 200; // of a span: more news than anybody reads

export async function findNewPatterns(
  { runner, table }: CountDeps,
  filter: LogFilter,
  { span, signal }: { span: SettledSpan; signal: AbortSignal },
): Promise<NewPattern[]> {
  const asking = { weight: 'light', signal } as const;
  const arrived = new Binder();
  const sql = `SELECT dataset, ${patternText} AS digits, count() AS entries, toUnixTimestamp64Milli(min(arrivedAt)) FROM ${table}
    WHERE ${formatSpan(span, arrived)} AND ${formatConditions(openTimes(filter), arrived, false)} AND pattern != 0
    GROUP BY dataset, digits ORDER BY entries DESC, dataset, digits LIMIT ${patternsMax}`;
  const rows = await askRows(runner, asking, { sql, parameters: arrived.parameters });
  // As selected.
  const found = (rows as [string, string, number, number][]).map(([dataset, pattern, count, ms]) => ({
    ...{ dataset, pattern, count, ms },
  }));
  if (found.length === 0) return [];
  const binder = new Binder();
  const patterns = [...new Set(found.map(({ pattern }) => BigInt(`0x${pattern}`)))];
  const conditions = [
    `project = ${binder.bind('String', filter.project)}`,
    ...formatDatasets([...new Set(found.map(({ dataset }) => dataset))], binder),
    `pattern IN ${binder.bind('Array(UInt64)', `[${patterns.join()}]`)}`,
    `arrivedAt < ${bindMicros(span.fromMicros, binder)}`,
  ];
  const earlier = `SELECT DISTINCT dataset, ${patternText} FROM ${table} WHERE ${conditions.join(' AND ')}`;
  const known = await askRows(runner, asking, { sql: earlier, parameters: binder.parameters });
  const keys = new Set(known.map(([dataset, pattern]) => `${dataset}/${pattern}`));
  return found.filter(({ dataset, pattern }) => !keys.has(`${dataset}/${pattern}`));
}
