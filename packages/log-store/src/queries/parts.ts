/** The parts that entries lie in. A part never changes: a merge, or a deletion, makes another part. */

import type { Row } from '../writer/engine/statements.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { activeParts, fieldCounts } from '../writer/schema/schema.ts';
import { askRows, type Runner } from './queryRunner.ts';

export type Part = {
  name: string;
  /** At the earliest and at the latest: times of parts are known by the second. */
  fromMicros: number;
  toMicros: number;
  /** Struck out entries are counted, too. */
  entries: number;
  /** Size of all its columns, before compression. */
  bytes: number;
  /** Whether counts are kept beside its entries; parts of earlier versions have none. */
  hasCounts: boolean;
  /** Whether entries were struck out of it: its indexes know them still. */
  isStruck: boolean;
  /** Tells it from every other part: a restarted engine may give a name again after the newest part was dropped. */
  key: string;
};

/** So many names a statement may bind: they are one value, and ClickHouse takes values of 128 KiB. */
export const partsBoundMax = 2_000;

/** Matches names of parts that have not been merged since their insert: they have no indexes. */
export const unmergedName = /^[^_]+_[0-9]+_[0-9]+_0(_[0-9]+)?$/;

const secondMicros = 1_000_000;

/** The engine answers this from memory, without reading any part. */
export const partsQuery = `SELECT name, rows, toUnixTimestamp(min_time), toUnixTimestamp(max_time), hash_of_all_files,
    has(projections, '${fieldCounts.name}'), has_lightweight_delete, data_uncompressed_bytes
  FROM ${activeParts} ORDER BY name`;

export function readPart(row: Row): Part {
  // As selected.
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
  const rows = await askRows({ ...runner, access: shard }, { weight: 'light', signal }, { sql: partsQuery });
  const parts = rows.map(readPart);
  runner.blocks.noteParts(shard, parts);
  return parts;
}
