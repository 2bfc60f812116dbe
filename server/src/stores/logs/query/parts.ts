/** The parts that entries lie in. A part never changes: what was merged, or deleted from, is another part. */
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema.ts';
import { askRows, type Runner } from './running.ts';

export type Part = {
  name: string;
  fromMicros: number;
  toMicros: number;
  /** By which it is known again: when the last part of all was dropped, a restarted engine may give its name once more. */
  key: string;
};

/** By whose names a statement may ask: they are bound as one value, of which ClickHouse takes 128 KiB. */
export const partsBoundMax = 2_000;

/** The engine answers this from what it knows of its parts, without reading any. */
export async function listParts(
  runner: Runner,
  shard: EngineAccess,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const sql = `SELECT _part, toUnixTimestamp64Micro(min(timestamp)), toUnixTimestamp64Micro(max(timestamp)), count()
    FROM ${localTable} GROUP BY _part ORDER BY _part`;
  const rows = await askRows({ ...runner, access: shard }, { weight: 'light', signal }, { sql });
  // As the statement selects them.
  return (rows as [string, number, number, number][]).map(([name, fromMicros, toMicros, entries]) => ({
    name,
    fromMicros,
    toMicros,
    key: [name, fromMicros, toMicros, entries].join(' '),
  }));
}
