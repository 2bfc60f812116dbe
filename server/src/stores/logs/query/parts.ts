/** The parts that entries lie in. A part never changes: what was merged, or deleted from, is another part. */
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts } from '../schema.ts';
import { askRows, type Runner } from './running.ts';
import type { Row } from './statements.ts';

export type Part = {
  name: string;
  /** At the earliest and at the latest: times of parts are known by the second. */
  fromMicros: number;
  toMicros: number;
  /** Those that were struck out included. */
  entries: number;
  /** By which it is known again: when the last part of all was dropped, a restarted engine may give its name once more. */
  key: string;
};

/** By whose names a statement may ask: they are bound as one value, of which ClickHouse takes 128 KiB. */
export const partsBoundMax = 2_000;

const secondMicros = 1_000_000;

/** The engine answers this from what it knows of its parts, without reading any. */
export const partsQuery = `SELECT name, rows, toUnixTimestamp(min_time), toUnixTimestamp(max_time), hash_of_all_files
  FROM ${activeParts} ORDER BY name`;

export function readPart(row: Row): Part {
  const [name, entries, firstSecond, lastSecond, hash] = row as [string, number, number, number, string]; // as selected
  return {
    name,
    fromMicros: firstSecond * secondMicros,
    toMicros: (lastSecond + 1) * secondMicros - 1,
    entries,
    key: `${name} ${hash}`,
  };
}

export async function listParts(
  runner: Runner,
  shard: EngineAccess,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const rows = await askRows({ ...runner, access: shard }, { weight: 'light', signal }, { sql: partsQuery });
  return rows.map(readPart);
}
