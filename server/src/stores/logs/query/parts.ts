/** The parts that entries lie in. A part never changes: what was merged, or deleted from, is a part of another name. */
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema.ts';
import { askRows, type Runner } from './running.ts';

export type Part = { name: string; fromMicros: number; toMicros: number; entries: number };

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
    entries,
  }));
}

/** Which inserts went into a part, as numbered in their partition, and which deletion it has seen. */
export type PartBlocks = { place: string; first: number; last: number };

const namePattern = /^(?<partition>.+)_(?<first>\d+)_(?<last>\d+)_\d+(?<deletion>_\d+)?$/;

export function readPartName(name: string): PartBlocks | null {
  const { partition, first, last, deletion = '' } = namePattern.exec(name)?.groups ?? {};
  return partition === undefined
    ? null
    : { place: partition + deletion, first: Number(first), last: Number(last) };
}
