/** Splits a project's entries by when they arrived: what has arrived for good is read once, and a count tells whether all of it is still there. */
import { Binder, bindMicros } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { askRows, type Runner } from '../queryRunner.ts';

export type SubjectDeps = { runner: Runner; table: string; shards: readonly EngineAccess[] };

/** A name of a subject; '' where it has none. */
export type NamedRow = [id: string, name: string, entries: number, firstMicros: number, lastMicros: number];

export type Arrived = { fromMicros: number; toMicros: number | null };

/** More conditions, if any. */
export function formatArrived({ fromMicros, toMicros }: Arrived, binder: Binder): string {
  const from = fromMicros === 0 ? '' : ` AND arrivedAt >= ${bindMicros(fromMicros, binder)}`;
  const to = toMicros === null ? '' : ` AND arrivedAt < ${bindMicros(toMicros, binder)}`;
  return from + to;
}

/**
 * On one server: all, without those that came later, because the key and the index of arrivals lead to both, and the time of no other
 * entry is read. Both see the same parts (`running.ts`), which the shards of a cluster do not promise.
 */
export async function countBefore(
  { deps, project, signal }: { deps: SubjectDeps; project: string; signal: AbortSignal },
  endMicros: number,
): Promise<number> {
  const binder = new Binder();
  const where = `FROM ${deps.table} WHERE project = ${binder.bind('String', project)}`;
  const end = bindMicros(endMicros, binder);
  const sql =
    deps.table === localTable
      ? `SELECT sum(entries) FROM (SELECT toInt64(count()) AS entries ${where}
          UNION ALL SELECT -toInt64(count()) ${where} AND arrivedAt >= ${end})`
      : `SELECT count() ${where} AND arrivedAt < ${end}`;
  const [row] = await askRows(
    deps.runner,
    { weight: 'light', signal },
    { sql, parameters: binder.parameters },
  );
  return Number(row?.[0] ?? 0);
}
