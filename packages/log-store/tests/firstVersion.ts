/** Creates the log table as the first version did, without a version number. Tables like it must always be migrated. */
import { foldCase } from '@tapedeck/values/case-folding';
import { runCommand } from '../src/writer/engine/statements.ts';
import type { EngineAccess } from '../src/writer/engine/supervision.ts';
import { insertInto, type StoredEntry } from './clickhouse.ts';

export async function createFirstTable(access: EngineAccess, indexGranularity = 8192): Promise<void> {
  await runCommand(access, 'CREATE DATABASE IF NOT EXISTS tapedeck');
  await runCommand(access, formatFirstTable(indexGranularity));
}

/** Inserts entries as one part per partition. */
export function insertFirst(access: EngineAccess, stored: readonly StoredEntry[]): Promise<void> {
  const columns =
    'project, dataset, timestamp, traceId, retentionDays, level, resource, parentId, body, metadata';
  return insertInto(access, stored, `tapedeck.logs (${columns})`);
}

function formatFirstTable(indexGranularity: number): string {
  return `CREATE TABLE tapedeck.logs (
    project LowCardinality(String),
    dataset LowCardinality(String),
    timestamp DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    traceId UUID EPHEMERAL,
    identity UInt64 DEFAULT toUInt64(toUInt128(traceId)) CODEC(Delta(8), ZSTD(1)),
    retentionDays UInt16 DEFAULT 0 CODEC(ZSTD(1)),
    level Enum8('debug' = 1, 'info' = 2, 'warn' = 3, 'error' = 4) CODEC(ZSTD(1)),
    resource LowCardinality(String) CODEC(ZSTD(1)),
    parentId String CODEC(ZSTD(1)),
    body String CODEC(ZSTD(3)),
    metadata Map(LowCardinality(String), String) CODEC(ZSTD(3)),
    arrivedAt DateTime64(6) DEFAULT now64(6) CODEC(Delta(8), ZSTD(1)),
    folded String ALIAS ${fold('body')},
    letters String ALIAS translate(folded, '0123456789', '          '),
    foldedValues String ALIAS ${fold("arrayStringConcat(mapValues(metadata), '\\0')")},
    INDEX words letters TYPE text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking'),
    INDEX grams folded TYPE ngrambf_v1(4, 16384, 1, 0) GRANULARITY 1,
    INDEX valueGrams foldedValues TYPE ngrambf_v1(4, 16384, 1, 0) GRANULARITY 1,
    INDEX pairs arrayMap((path, value) -> concat(path, '\\0', value), mapKeys(metadata), mapValues(metadata))
      TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX parents parentId TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX arrivals arrivedAt TYPE minmax GRANULARITY 1
  )
  ENGINE = MergeTree
  PARTITION BY (retentionDays, multiIf(retentionDays = 0 OR retentionDays > 366, toStartOfMonth(timestamp),
    retentionDays > 31, toMonday(timestamp), toDate(timestamp)))
  ORDER BY (project, dataset, timestamp, identity)
  SETTINGS index_granularity = ${indexGranularity}, fsync_after_insert = 1, fsync_part_directory = 1,
    min_compressed_bytes_to_fsync_after_merge = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 20,
    non_replicated_deduplication_window = 10000, max_bytes_to_merge_at_max_space_in_pool = 10737418240,
    exclude_deleted_rows_for_part_size_in_merge = 1`;
}

function fold(expression: string): string {
  const all = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code));
  const from = all.filter(character => foldCase(character) !== character).join('');
  const to = foldCase(from);
  return `if(isValidASCII(${expression}), lower(${expression}), translateUTF8(${expression}, '${from}', '${to}'))`;
}
