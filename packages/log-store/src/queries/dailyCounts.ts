/** Counts the entries of a project by day and dataset. */

import { dayMicros } from '../dayLength.ts';
import { Binder } from '../writer/engine/statements.ts';
import type { CountDeps } from './counts.ts';
import type { DayCount, DaySpan } from './logQueries.ts';
import { runQuery } from './queryRunner.ts';

/** The slot in the key of `fieldCounts`. Days in UTC begin with a slot, so the engine can use the projection. */
const slot = 'toStartOfFifteenMinutes(timestamp)';

export async function countByDay(
  deps: CountDeps,
  project: string,
  { fromDay, toDay, signal }: DaySpan & { signal: AbortSignal },
): Promise<DayCount[]> {
  const binder = new Binder();
  const bindDay = (day: number) =>
    `toDateTime(${binder.bind('UInt32', (Math.max(0, day) * dayMicros) / 1e6)}, 'UTC')`;
  const sql = `SELECT toUInt32(toDate(${slot})) AS day, dataset, count()
    FROM ${deps.table}
    WHERE project = ${binder.bind('String', project)}
      AND ${slot} >= ${bindDay(fromDay)} AND ${slot} < ${bindDay(toDay + 1)}
    GROUP BY dataset, day ORDER BY day, dataset`;
  const options = { weight: 'heavy', signal } as const;
  const settings = { optimize_aggregation_in_order: 1 }; // uses the order of the key: half of the work
  const rows = await runQuery(deps.runner, options, { sql, parameters: binder.parameters, settings });
  // Matches the SELECT.
  return (rows as [number, string, number][]).map(([day, dataset, entries]) => ({ day, dataset, entries }));
}
