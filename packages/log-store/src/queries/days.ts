/** Counts the entries of a project by day and dataset. */

import { dayMicros } from '../dayLength.ts';
import { Binder, bindMicros } from './binder.ts';
import type { CountDeps } from './counts.ts';
import type { DayCount, DaySpan } from './logQueries.ts';
import { askRows } from './running.ts';

export async function countByDay(
  deps: CountDeps,
  project: string,
  { fromDay, toDay, signal }: DaySpan & { signal: AbortSignal },
): Promise<DayCount[]> {
  const binder = new Binder();
  const sql = `SELECT toUInt32(toDate(timestamp)) AS day, dataset, count()
    FROM ${deps.table}
    WHERE project = ${binder.bind('String', project)}
      AND timestamp >= ${bindMicros(fromDay * dayMicros, binder)}
      AND timestamp < ${bindMicros((toDay + 1) * dayMicros, binder)}
    GROUP BY dataset, day ORDER BY day, dataset`;
  const asking = { weight: 'heavy', signal } as const;
  const settings = { optimize_aggregation_in_order: 1 }; // the order of the key: half of the work
  const rows = await askRows(deps.runner, asking, { sql, parameters: binder.parameters, settings });
  // As the statement selects them.
  return (rows as [number, string, number][]).map(([day, dataset, entries]) => ({ day, dataset, entries }));
}
