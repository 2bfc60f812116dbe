/**
 * Defines the log table: its columns, order, partitions and indexes. Queries rely on the columns and expressions declared
 * here. `DECISIONS.md` has the measurements behind them.
 *
 * `tables.ts` adds what a table of an earlier version lacks, by name, so columns are only ever added. An index or projection
 * that changes gets a new name, and its old name goes to `former`.
 */

import { logLevels } from '@tapedeck/log-entries';
import { blockColumns } from '../../blocks/native.ts';
import { foldColumn } from './folding.ts';

export const database = 'tapedeck';

/** Raise it with every change to these declarations. A program leaves tables of later versions as they are. */
export const schemaVersion = 6;

/** Holds the entries that a server stores itself. */
export const localTable = `${database}.logs`;

/** Holds patterns for entries of earlier versions, in memory, while a backfill runs. */
export const patternTable = `${database}.patterns_under_way`;

/** Names the active parts of the log table, for a FROM clause. Append further conditions with AND. */
export const activeParts = `system.parts WHERE active AND concat(database, '.', table) = '${localTable}'`;

/** Reads the entries of all servers, if there are several. */
export const sharedTable = `${database}.logs_of_all_shards`;

export function nameReadTable(clusterName: string | null): string {
  return clusterName === null ? localTable : sharedTable;
}

/** Table and columns of an insert. An insert sends the whole traceId; the table keeps its lower half. */
export const insertTarget = `${localTable} (${blockColumns.map(({ name }) => name).join(', ')})`;

/**
 * The upper half of a traceId is the entry's time, so the table stores only the lower half, which compresses to nothing.
 * Sorting by time and lower half equals sorting by traceId.
 */
export const storedColumns: readonly string[] = [
  'project LowCardinality(String)',
  'dataset LowCardinality(String)',
  "timestamp DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1))",
  'traceId UUID EPHEMERAL',
  'identity UInt64 DEFAULT toUInt64(toUInt128(traceId)) CODEC(Delta(8), ZSTD(1))',
  // The dataset's retention when this entry arrived; 0 means forever.
  'retentionDays UInt16 DEFAULT 0 CODEC(ZSTD(1))',
  `level Enum8(${logLevels.map((level, index) => `'${level}' = ${index + 1}`).join(', ')}) CODEC(ZSTD(1))`,
  'resource LowCardinality(String) CODEC(ZSTD(1))',
  'parentId String CODEC(ZSTD(1))',
  'body String CODEC(ZSTD(3))',
  // Identifies the body's text without numbers, names and times; 0 if not computed yet, as in entries of earlier versions.
  'pattern UInt64 CODEC(ZSTD(1))',
  // Level 4 takes a fourteenth less than level 3, and hardly longer. Bodies get no smaller with it.
  'metadata Map(LowCardinality(String), String) CODEC(ZSTD(4))',
  // By the server's clock, the same for all entries of an insert. Clients follow entries in this order (`queries/arrivals.ts`).
  'arrivedAt DateTime64(6) DEFAULT now64(6) CODEC(Delta(8), ZSTD(1))',
];

export const joinedValues = "arrayStringConcat(mapValues(metadata), '\\0')";
/** Text that is searched for words, besides the body. */
export const restText = `concat(${joinedValues}, '\\0', resource)`;

export const bodyFolded = foldColumn('body');
export const valuesFolded = foldColumn(joinedValues);
const restFolded = foldColumn(restText);
const parentFolded = foldColumn('parentId');
const allFolded = `concat(${bodyFolded}, '\\0', ${restFolded}, '\\0', ${parentFolded})`;

/** Matches runs of ASCII letters and digits with at least one digit. `queries/indexPruning.ts` cuts terms the same way. */
const digitToken = '[a-z]*[0-9][a-z0-9]*';
const otherScripts = '[^\\\\x00-\\\\x7f]+'; // slow, so applied only to text that is not pure ASCII
const code = '[a-f.:-]*[0-9][0-9a-f.:-]*';
/** Finds tokens that also have a letter. A single pattern with an alternative for both takes the engine three times as long. */
const mixedTokens = `arrayFilter(token -> token != upper(token), extractAll(${allFolded}, '${digitToken}'))`;

/**
 * Texts that indexes hold, as expressions over the columns. They are no computed columns, because the engine would plan all of those for every query.
 * Tables of earlier versions have them. Their indexes serve these expressions, too: the engine replaces a computed column by its expression.
 */
export const indexedTexts = {
  // Without tokens that have a digit, few distinct words remain, however many numbers and identifiers occur.
  bodyWords: `replaceRegexpAll(${bodyFolded}, '${digitToken}', ' ')`,
  restWords: `replaceRegexpAll(${restFolded}, '${digitToken}', ' ')`,
  /** The parent, runs with both letters and digits, and runs of other scripts. */
  tokens: `arrayStringConcat(arrayConcat([${parentFolded}], ${mixedTokens},
    if(isValidASCII(${allFolded}), [], extractAll(${allFolded}, '${otherScripts}'))), ' ')`,
  /** Runs of the characters of numbers, addresses, times and identifiers. */
  codes: `arrayStringConcat(extractAll(${allFolded}, '${code}'), ' ')`,
} as const;

/**
 * A column of version 4, and what its first, slower expression has in it. The values are the same, so stored data does not change.
 */
export const slowColumn = {
  name: 'tokens',
  text: '[a-z]+[0-9]',
  declaration: `tokens String ALIAS ${indexedTexts.tokens}`,
} as const;

/** Columns to add to tables of earlier versions. A table that lacks any other column was made by another program. */
export const laterColumns: readonly string[] = ['pattern'];

/** Path and value of each leaf, joined by NUL. */
export const pairsOfMetadata =
  "arrayMap((path, value) -> concat(path, '\\0', value), mapKeys(metadata), mapValues(metadata))";

/** Kept counts are grouped by entry time in slots of fifteen minutes. */
export const slotMicros = 900_000_000;
const slot = 'toStartOfFifteenMinutes(timestamp)';

const countedBytesMax = 48;
const countedDigitsMax = 4;

/**
 * Tests whether a value is likely to repeat: short, and with few digits. Four digits in a row are a number of their own, as of a
 * port, or part of a name that hardly repeats.
 */
const isCounted = (value: string) => {
  const digits = `length(${value}) - length(translate(${value}, '0123456789', ''))`;
  const hasFourInARow = `position(translate(${value}, '123456789', '000000000'), '0000') > 0`;
  return `length(${value}) <= ${countedBytesMax} AND ${digits} <= ${countedDigitsMax} AND (length(${value}) = 4 OR NOT ${hasFourInARow})`;
};

/** Its dictionary counts entries by their values. `formatWords` takes its words apart. */
export const valueIndex = {
  name: 'repeatingValues',
  words: `arrayMap(
    pair -> concat(project, '\\0', leftPad(hex(length(pair.1)), 4, '0'), pair.1, leftPad(hex(toUInt32(${slot})), 8, '0'), dataset, '\\0', pair.2),
    arrayFilter(pair -> ${isCounted('pair.2')}, arrayZip(mapKeys(metadata), mapValues(metadata))))`,
} as const;

const words = "text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking')";

/** Names of the word indexes, by column. */
export const wordIndexes = { bodyWords: 'wordsOfBody', restWords: 'wordsOfRest' } as const;

export const indexes: readonly string[] = [
  // These find and count terms of letters from their dictionaries alone. Searches for parts of words scan the dictionaries, so keep them small.
  `INDEX ${wordIndexes.bodyWords} ${indexedTexts.bodyWords} TYPE ${words}`,
  `INDEX ${wordIndexes.restWords} ${indexedTexts.restWords} TYPE ${words}`,
  // For terms with digits, and letters within identifiers. Long needles have many grams, so nearly full filters suffice.
  `INDEX gramsOfTokens ${indexedTexts.tokens} TYPE ngrambf_v1(4, 24576, 1, 0) GRANULARITY 4`,
  `INDEX gramsOfCodes ${indexedTexts.codes} TYPE ngrambf_v1(6, 49152, 1, 0) GRANULARITY 4`,
  // Each false hit costs a search two milliseconds: two granules of 2,000 here, twenty with a filter two thirds this size.
  `INDEX pairs ${pairsOfMetadata} TYPE bloom_filter(0.001) GRANULARITY 1`,
  'INDEX parents parentId TYPE bloom_filter(0.01) GRANULARITY 1',
  'INDEX arrivals arrivedAt TYPE minmax GRANULARITY 1',
  `INDEX ${valueIndex.name} ${valueIndex.words} TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking')`,
];

/** Matches texts that JSON would write as numbers. */
export const numberPattern = '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$';

/**
 * Counts, in each part, the entries with the same fields, and for each path those whose value is not a number. An entry must
 * not become two rows: the engine refuses an insert whose projection has more rows than entries.
 */
export const fieldCounts = {
  name: 'fieldCounts',
  columns: 'project, dataset, slot, level, resource, paths, entries, texts',
  select: `SELECT project, dataset, ${slot} AS slot, level, resource, mapKeys(metadata) AS paths, count(),
      sumForEach(arrayMap(value -> toUInt64(NOT match(value, '${numberPattern}')), mapValues(metadata)))
    GROUP BY project, dataset, slot, level, resource, paths`,
} as const;

/** `patterns` counts per minute: few entries lie in a minute that the border of a bucket cuts. */
export const countedMinute = 'toStartOfMinute(timestamp)';

/** The engine by itself uses this projection for queries by these keys and counts. */
const patternCounts = `SELECT project, dataset, pattern, ${countedMinute} AS minute, level, count(), min(timestamp), max(timestamp)
    GROUP BY project, dataset, pattern, minute, level`;

/** Counts that each part keeps beside its entries. */
export const projections: readonly string[] = [
  `PROJECTION ${fieldCounts.name} (${fieldCounts.select})`,
  `PROJECTION patterns (${patternCounts})`,
];

/** Indexes and projections of earlier versions, to be dropped. */
export const former: { indexes: readonly string[]; projections: readonly string[] } = {
  indexes: ['words', 'grams', 'valueGrams', 'keptValues', 'countedValues'],
  projections: [],
};

/**
 * Set when a table is created; ClickHouse never changes it. A merge holds one granule of each part, and a search unpacks one
 * at a time. Usual entries reach the row limit first. Without this limit, long entries made granules of 10 MiB, and merging
 * twenty parts took 870 MB instead of 185.
 */
export const granuleBytes = 1_048_576;

/** Leaves the skip indexes to the merge: an insert without them takes half the time, and unmerged parts are small enough to scan. */
export const indexSettings = { materialize_skip_indexes_on_insert: 0 };

/**
 * Expiry drops whole parts, so entries with the same retention share partitions of about a thirtieth of it. Long retentions
 * use weeks or months, because days would make too many parts for a query to open.
 */
export const partition =
  '(retentionDays, multiIf(retentionDays = 0 OR retentionDays > 366, toStartOfMonth(timestamp), ' +
  'retentionDays > 31, toMonday(timestamp), toDate(timestamp)))';

export const sortingKey = '(project, dataset, timestamp, identity)';

/**
 * For so long an embedded engine keeps the parts that a merge replaced. `writer/ledger/replacedParts.ts` lets it remove them then,
 * once the merged part is synced.
 */
export const replacedPartSeconds = 8;

/** When an insert survives a power cut: as soon as the engine answers, or with the next checkpoint (`writer/flushing/checkpoint.ts`). */
export type InsertDurability = 'synced' | 'checkpointed';

export const durabilitySettings: Readonly<Record<InsertDurability, Readonly<Record<string, number>>>> = {
  // External servers never sync the text indexes of merged parts, so replaced parts stay until the system has written those.
  synced: { fsync_after_insert: 1, fsync_part_directory: 1, old_parts_lifetime: 120 },
  // A power cut may break every part written between two checkpoints. The journal still holds their entries.
  checkpointed: {
    fsync_after_insert: 0,
    fsync_part_directory: 0,
    max_suspicious_broken_parts: 10_000,
    old_parts_lifetime: replacedPartSeconds,
    // The engine's default periods grow to five minutes when little is removed, and replaced parts would stay on disk that long.
    cleanup_delay_period: 5,
    max_cleanup_delay_period: 10,
    cleanup_delay_period_random_add: 0,
  },
};

/** Maximum size of a merged part. Beyond it, merging costs more than fewer parts save. */
export const mergedBytesMax = 10 * 1024 ** 3;

export const settings: Readonly<Record<string, number | string>> = {
  // Also syncs merged parts, all but their text indexes (`writer/flushing/partSync.ts`).
  min_compressed_bytes_to_fsync_after_merge: 1,
  min_rows_to_fsync_after_merge: 1,
  // The engine builds indexes one block at a time, and takes many times the block's size.
  merge_max_block_size_bytes: 2_097_152,
  // Each part in a merge takes about 6 MB when bodies are long.
  max_parts_to_merge_at_once: 20,
  // ClickHouse accepts each insert name once, so the flusher can repeat an insert whose answer it missed.
  non_replicated_deduplication_window: 10_000,
  max_bytes_to_merge_at_max_space_in_pool: mergedBytesMax,
  exclude_deleted_rows_for_part_size_in_merge: 1,
  // Rebuilds the kept counts in the same moment that rows are deleted from a part.
  lightweight_mutation_projection_mode: 'rebuild',
};
