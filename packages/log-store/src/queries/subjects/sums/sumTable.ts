/**
 * The table of sums by subject. It stores facts about a subject together, although its entries are far apart. Everything in it derives
 * from entries, so backups and moves skip it, and it may be dropped at any time.
 */
import { hash } from 'node:crypto';
import { keyOfQuestion } from '@tapedeck/log-query-language';
import { runCommand } from '../../../writer/engine/statements.ts';
import type { EngineAccess } from '../../../writer/engine/supervision.ts';
import { database } from '../../../writer/schema/schema.ts';
import type { SummedKind } from '../../logQueries.ts';

/** Rename the table if the meaning of its columns changes, so that no version reads rows of another version. */
export const sumTable = `${database}.subject_sums_2`;
const formerTable = `${database}.subject_sums_1`;

const granularity = 256; // a subject has few rows
const numberDigits = 12; // hexadecimal digits of a number that JavaScript holds exactly

/**
 * For each entry, `marks` holds the level and the minute of the week, and `resources` the resource, in the same order.
 * A piece holds the subjects of one day's entries, or of later arrivals for that day. The table also has unfinished and
 * replaced pieces: `ledger.ts` records the valid ones.
 */
const creation = `CREATE TABLE IF NOT EXISTS ${sumTable} (
    list UInt64,
    id String CODEC(ZSTD(1)),
    piece UInt64 CODEC(Delta(8), ZSTD(1)),
    texts Array(String) CODEC(ZSTD(1)),
    entries UInt64 CODEC(ZSTD(1)),
    firstAt Int64 CODEC(Delta(8), ZSTD(1)),
    lastAt Int64 CODEC(Delta(8), ZSTD(1)),
    marks Array(UInt16) CODEC(ZSTD(1)),
    resources Array(LowCardinality(String)) CODEC(ZSTD(1))
  )
  ENGINE = MergeTree
  PARTITION BY list
  ORDER BY (id, piece)
  SETTINGS index_granularity = ${granularity}, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    max_suspicious_broken_parts = 10000
  COMMENT 'What entries say of subjects, to be made anew where it is missing'`;

export async function createSumTable(access: EngineAccess, signal: AbortSignal): Promise<void> {
  await runCommand(access, `DROP TABLE IF EXISTS ${formerTable}`, { signal });
  await runCommand(access, creation, { signal });
}

export function nameKind({ project, paths }: SummedKind): string {
  return keyOfQuestion([project, paths.idPaths, paths.namePaths]);
}

/** Returns the number of a kind in the table, which is also its partition. */
export function numberKind(name: string): number {
  return Number.parseInt(hash('sha256', name).slice(0, numberDigits), 16);
}
