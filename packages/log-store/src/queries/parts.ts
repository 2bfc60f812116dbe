/** Lists the parts of the table. A part never changes: a merge or a deletion creates another part. */

import type { Row } from '../writer/engine/statements.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { activeParts, fieldCounts } from '../writer/schema/schema.ts';
import { type Runner, runQuery } from './queryRunner.ts';

export type Part = {
  name: string;
  /** Bounds of the times: the engine knows times of parts only to the second. */
  fromMicros: number;
  toMicros: number;
  /** Includes deleted entries. */
  entries: number;
  /** Size of all columns before compression. */
  bytes: number;
  /** Whether the part keeps counts beside its entries. Parts of earlier versions do not. */
  hasCounts: boolean;
  /** Whether entries were deleted from it: its indexes still contain them. */
  isStruck: boolean;
  /** Unique, unlike the name: a restarted engine may reuse a name after the newest part was dropped. */
  key: string;
};

/** Limits the part names that a statement binds: they are one value, and ClickHouse accepts values of 128 KiB. */
export const partsBoundMax = 2_000;

/** Matches names of parts that have not been merged since their insert: they have no indexes. */
export const unmergedName = /^[^_]+_[0-9]+_[0-9]+_0(_[0-9]+)?$/;

const secondMicros = 1_000_000;

/** The engine answers this from memory without reading parts. */
export const partsQuery = `SELECT name, rows, toUnixTimestamp(min_time), toUnixTimestamp(max_time), hash_of_all_files,
    has(projections, '${fieldCounts.name}'), has_lightweight_delete, data_uncompressed_bytes
  FROM ${activeParts} ORDER BY name`;

export function readPart(row: Row): Part {
  // Matches the SELECT.
  const [name, entries, firstSecond, lastSecond, hash, hasCounts, isStruck, bytes] = row as [
    string,
    number,
    number,
    number,
    string,
    0 | 1,
    0 | 1,
    number,
  ];
  return {
    name,
    fromMicros: firstSecond * secondMicros,
    toMicros: (lastSecond + 1) * secondMicros - 1,
    entries,
    bytes,
    hasCounts: hasCounts === 1,
    isStruck: isStruck === 1,
    key: `${name} ${hash}`,
  };
}

export async function listParts(
  runner: Runner,
  shard: EngineAccess,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const rows = await runQuery({ ...runner, access: shard }, { weight: 'light', signal }, { sql: partsQuery });
  const parts = rows.map(readPart);
  runner.blocks.recordParts(shard, parts);
  return parts;
}
