/** Splits a project's entries by arrival. Settled entries are read only once; a count then shows whether all of them still exist. */
import { Binder, bindMicros } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { type Runner, runQuery } from '../queryRunner.ts';

export type SubjectDeps = { runner: Runner; table: string; shards: readonly EngineAccess[] };

/** A name of a subject; '' if it has none. */
export type NamedRow = [id: string, name: string, entries: number, firstMicros: number, lastMicros: number];

export type Arrived = {
  fromMicros: number;
  toMicros: number | null;
  /** Only entries of these days; absent: all. */
  days?: readonly number[];
};

export const dayMicros = 86_400_000_000;

/** The day of an entry's time, since 1970 in UTC. */
export const dayOfEntry = 'toUInt64(toUInt16(toDate(timestamp)))';

/** Formats conditions to append. */
export function formatArrived({ fromMicros, toMicros, days }: Arrived, binder: Binder): string {
  const from = fromMicros === 0 ? '' : ` AND arrivedAt >= ${bindMicros(fromMicros, binder)}`;
  const to = toMicros === null ? '' : ` AND arrivedAt < ${bindMicros(toMicros, binder)}`;
  return from + to + (days === undefined ? '' : formatDays(days, binder));
}

/** The bounds let the engine use the key. */
function formatDays(days: readonly number[], binder: Binder): string {
  const startMicros = Math.min(...days) * dayMicros;
  const endMicros = (Math.max(...days) + 1) * dayMicros;
  return ` AND timestamp >= ${bindMicros(startMicros, binder)} AND timestamp < ${bindMicros(endMicros, binder)}
    AND ${dayOfEntry} IN ${binder.bind('Array(UInt64)', `[${days.join(',')}]`)}`;
}

type Counting = { deps: SubjectDeps; project: string; signal: AbortSignal };

export async function countBefore(counting: Counting, endMicros: number): Promise<number> {
  return (await countAround(counting, endMicros)).before;
}

/**
 * Counts entries that arrived before a moment, and since. On one server it subtracts the later ones from all entries: the key
 * and the index of arrivals give both counts without reading other times. Both statements see the same parts there
 * (`queryRunner.ts`); shards of a cluster do not guarantee that.
 */
export async function countAround(
  { deps, project, signal }: Counting,
  endMicros: number,
): Promise<{ before: number; since: number }> {
  const binder = new Binder();
  const where = `FROM ${deps.table} WHERE project = ${binder.bind('String', project)}`;
  const end = bindMicros(endMicros, binder);
  const isLocal = deps.table === localTable;
  const sql = `SELECT 'other' AS which, count() ${where}${isLocal ? '' : ` AND arrivedAt < ${end}`}
    UNION ALL SELECT 'since', count() ${where} AND arrivedAt >= ${end}`;
  const statement = { sql, parameters: binder.parameters };
  const rows = await runQuery(deps.runner, { weight: 'light', signal }, statement);
  const counts = new Map(rows as [string, number][]); // matches the SELECT
  const [other, since] = [counts.get('other') ?? 0, counts.get('since') ?? 0];
  return { before: isLocal ? other - since : other, since };
}
