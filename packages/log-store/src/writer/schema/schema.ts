/**
 * Defines the log table: what ClickHouse keeps of an entry, in which order, partitions and indexes. Queries rely on the
 * columns and expressions declared here. `DECISIONS.md` has the measurements behind them.
 *
 * A table of an earlier version gets what it lacks, by name (`tables.ts`). So columns are only ever added. An index or
 * projection that changes gets another name, and its old name goes to `former`.
 */

import { logLevels } from '@tapedeck/log-entries';
import { foldedCharacters } from '@tapedeck/values/case-folding';
import { blockColumns } from '../../blocks/native.ts';
import { foldColumn } from './folding.ts';

export const database = 'tapedeck';

/** Raised with every change of what is declared here. A program leaves tables of later versions as they are. */
export const schemaVersion = 4;

/** On each server: the entries that are stored there. */
export const localTable = `${database}.logs`;

/** In memory, for the time that it takes: patterns that were found for entries of earlier versions. */
export const patternTable = `${database}.patterns_under_way`;

/** The parts that those entries lie in at present, to be read from; further conditions follow with AND. */
export const activeParts = `system.parts WHERE active AND concat(database, '.', table) = '${localTable}'`;

/** Reads the entries of all servers, if there are several. */
export const sharedTable = `${database}.logs_of_all_shards`;

/** The table that queries read. */
export function nameReadTable(clusterName: string | null): string {
  return clusterName === null ? localTable : sharedTable;
}

/** Table and columns of an insert. The traceId is taken as it is known outside; its lower half is kept. */
export const insertTarget = `${localTable} (${blockColumns.map(({ name }) => name).join(', ')})`;

/**
 * The upper half of a traceId spells the entry's time, so only the lower half is stored, which compresses to nothing.
 * Both orders are one: by time, then by the lower half.
 */
export const storedColumns: readonly string[] = [
  'project LowCardinality(String)',
  'dataset LowCardinality(String)',
  "timestamp DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1))",
  'traceId UUID EPHEMERAL',
  'identity UInt64 DEFAULT toUInt64(toUInt128(traceId)) CODEC(Delta(8), ZSTD(1))',
  // How long the dataset kept its entries when this one came; 0: for ever.
  'retentionDays UInt16 DEFAULT 0 CODEC(ZSTD(1))',
  `level Enum8(${logLevels.map((level, index) => `'${level}' = ${index + 1}`).join(', ')}) CODEC(ZSTD(1))`,
  'resource LowCardinality(String) CODEC(ZSTD(1))',
  'parentId String CODEC(ZSTD(1))',
  'body String CODEC(ZSTD(3))',
  // What the body says but for numbers, names and times; 0: nobody looked yet, as in what earlier versions wrote.
  'pattern UInt64 CODEC(ZSTD(1))',
  'metadata Map(LowCardinality(String), String) CODEC(ZSTD(3))',
  // By the server's clock, the same for all entries of an insert: in this order entries are followed (`queries/arrivals.ts`).
  'arrivedAt DateTime64(6) DEFAULT now64(6) CODEC(Delta(8), ZSTD(1))',
];

/** The expression of the first version. */
function foldAtLength(expression: string): string {
  const { from, to } = foldedCharacters;
  return `if(isValidASCII(${expression}), lower(${expression}), translateUTF8(${expression}, '${from}', '${to}'))`;
}

export const joinedValues = "arrayStringConcat(mapValues(metadata), '\\0')";
/** Columns that are searched for words, besides the body. */
export const restText = `concat(${joinedValues}, '\\0', resource)`;

/** Runs of ASCII letters and digits that have a digit, as a pattern. `queries/indexPruning.ts` cuts terms in the same way. */
const digitToken = '[a-z]*[0-9][a-z0-9]*';
const otherScripts = '[^\\\\x00-\\\\x7f]+'; // only where there are any: it is slow
const code = '[a-f.:-]*[0-9][0-9a-f.:-]*';
const parentFolded = foldColumn('parentId');
const allFolded = `concat(bodyFolded, '\\0', restFolded, '\\0', ${parentFolded})`;
/** Tokens that also have a letter. One pattern with an alternative for both takes the engine three times as long. */
const mixedTokens = `arrayFilter(token -> token != upper(token), extractAll(${allFolded}, '${digitToken}'))`;

/** Columns that searches look at; the engine computes them when it reads them. */
export const searchedColumns: readonly string[] = [
  // Of the first version; nothing looks at them any more.
  `folded String ALIAS ${foldAtLength('body')}`,
  "letters String ALIAS translate(folded, '0123456789', '          ')",
  `foldedValues String ALIAS ${foldAtLength(joinedValues)}`,
  `bodyFolded String ALIAS ${foldColumn('body')}`,
  `valuesFolded String ALIAS ${foldColumn(joinedValues)}`,
  `restFolded String ALIAS ${foldColumn(restText)}`,
  // Without what has a digit there are few different words, however many numbers and identifiers occur.
  `bodyWords String ALIAS replaceRegexpAll(bodyFolded, '${digitToken}', ' ')`,
  `restWords String ALIAS replaceRegexpAll(restFolded, '${digitToken}', ' ')`,
  // Runs of letters and digits that hold both, runs of other scripts, and the parent; and runs of what numbers, addresses, times and
  // identifiers are written with.
  `tokens String ALIAS arrayStringConcat(arrayConcat([${parentFolded}], ${mixedTokens},
    if(isValidASCII(${allFolded}), [], extractAll(${allFolded}, '${otherScripts}'))), ' ')`,
  `codes String ALIAS arrayStringConcat(extractAll(${allFolded}, '${code}'), ' ')`,
];

/** Of a column of version 4 that found the same values by a slower expression, which has this text in it. Nothing that is stored changes. */
export const slowExpression = { column: 'tokens', text: '[a-z]+[0-9]' };

/** Columns that tables of earlier versions lack: they get them. One that lacks others was made by somebody else. */
export const laterColumns: readonly string[] = [
  'pattern',
  'bodyFolded',
  'valuesFolded',
  'restFolded',
  'bodyWords',
  'restWords',
  'tokens',
  'codes',
];

/** Path and value of each leaf, joined by NUL. */
export const pairsOfMetadata =
  "arrayMap((path, value) -> concat(path, '\\0', value), mapKeys(metadata), mapValues(metadata))";

/** Kept counts are grouped by entry time in slots of fifteen minutes. */
export const slotMicros = 900_000_000;
const slot = 'toStartOfFifteenMinutes(timestamp)';

const countedBytesMax = 48;
const countedDigitsMax = 4;

/** A value that may be one of few: short, and with few digits. */
const isCounted = (value: string) =>
  `length(${value}) <= ${countedBytesMax} AND length(${value}) - length(translate(${value}, '0123456789', '')) <= ${countedDigitsMax}`;

/** Counts entries by their values in its dictionary: a word is what `formatWords` takes apart. */
export const valueIndex = {
  name: 'countedValues',
  words: `arrayMap(
    pair -> concat(project, '\\0', leftPad(hex(length(pair.1)), 4, '0'), pair.1, leftPad(hex(toUInt32(${slot})), 8, '0'), dataset, '\\0', pair.2),
    arrayFilter(pair -> ${isCounted('pair.2')}, arrayZip(mapKeys(metadata), mapValues(metadata))))`,
} as const;

const words = "text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking')";

/** By the column whose words they know. */
export const wordIndexes = { bodyWords: 'wordsOfBody', restWords: 'wordsOfRest' } as const;

export const indexes: readonly string[] = [
  // They find and count terms of letters by their dictionaries alone. Parts of words are looked for in those, so they must stay small.
  `INDEX ${wordIndexes.bodyWords} bodyWords TYPE ${words}`,
  `INDEX ${wordIndexes.restWords} restWords TYPE ${words}`,
  // For terms with digits, and letters within identifiers. Long needles have many grams, so that filters that are nearly full will do.
  'INDEX gramsOfTokens tokens TYPE ngrambf_v1(4, 24576, 1, 0) GRANULARITY 4',
  'INDEX gramsOfCodes codes TYPE ngrambf_v1(6, 49152, 1, 0) GRANULARITY 4',
  // Each granule that it finds for nothing costs a search two milliseconds: two of 2,000 here, twenty with a filter of two thirds.
  `INDEX pairs ${pairsOfMetadata} TYPE bloom_filter(0.001) GRANULARITY 1`,
  'INDEX parents parentId TYPE bloom_filter(0.01) GRANULARITY 1',
  'INDEX arrivals arrivedAt TYPE minmax GRANULARITY 1',
  `INDEX ${valueIndex.name} ${valueIndex.words} TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking')`,
];

/** Which texts are numbers: those that JSON writes as numbers. */
export const numberPattern = '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$';

/**
 * Each part counts the entries that have the same fields, and for each path those whose value is no number. An entry
 * must not become two rows of a projection: the engine refuses an insert that would have more rows than entries.
 */
export const fieldCounts = {
  name: 'fieldCounts',
  columns: 'project, dataset, slot, level, resource, paths, entries, texts',
  select: `SELECT project, dataset, ${slot} AS slot, level, resource, mapKeys(metadata) AS paths, count(),
      sumForEach(arrayMap(value -> toUInt64(NOT match(value, '${numberPattern}')), mapValues(metadata)))
    GROUP BY project, dataset, slot, level, resource, paths`,
} as const;

/** In which `patterns` counts: few entries lie in a minute that the border of a bucket cuts. */
export const countedMinute = 'toStartOfMinute(timestamp)';

/** The engine itself answers queries by these keys and counts from the projection. */
const patternCounts = `SELECT project, dataset, pattern, ${countedMinute} AS minute, level, count(), min(timestamp), max(timestamp)
    GROUP BY project, dataset, pattern, minute, level`;

/** Counts that are kept beside the entries of a part. */
export const projections: readonly string[] = [
  `PROJECTION ${fieldCounts.name} (${fieldCounts.select})`,
  `PROJECTION patterns (${patternCounts})`,
];

/** Indexes and projections of earlier versions, to be dropped. */
export const former: { indexes: readonly string[]; projections: readonly string[] } = {
  indexes: ['words', 'grams', 'valueGrams', 'keptValues'],
  projections: [],
};

/**
 * Set when a table is created; ClickHouse never changes it. A merge holds one granule of each part, and a search
 * unpacks one at a time. Usual entries reach the number of rows first. With long ones a granule had 10 MiB, and merging
 * twenty parts took 870 MB instead of 185.
 */
export const granuleBytes = 1_048_576;

/**
 * What an insert leaves to the merge that follows it: without the indexes it takes half the time, and what has not been
 * merged yet is little enough to be looked through.
 */
export const indexSettings = { materialize_skip_indexes_on_insert: 0 };

/**
 * Expiry drops parts whole: entries that are kept equally long share partitions of about a thirtieth of that time, or
 * weeks and months where days would be too many parts for a query to open.
 */
export const partition =
  '(retentionDays, multiIf(retentionDays = 0 OR retentionDays > 366, toStartOfMonth(timestamp), ' +
  'retentionDays > 31, toMonday(timestamp), toDate(timestamp)))';

export const sortingKey = '(project, dataset, timestamp, identity)';

/** When what is inserted survives a power cut: as soon as the engine answers, or with the next checkpoint (`writer/flushing/checkpoint.ts`). */
export type InsertDurability = 'synced' | 'checkpointed';

export const durabilitySettings: Readonly<Record<InsertDurability, Readonly<Record<string, number>>>> = {
  // Nobody syncs the text indexes of what is merged there: what it replaces stays until the system has written them.
  synced: { fsync_after_insert: 1, fsync_part_directory: 1, old_parts_lifetime: 120 },
  // A power cut may break as many parts as come between two checkpoints. What they held is still in the journal.
  checkpointed: {
    fsync_after_insert: 0,
    fsync_part_directory: 0,
    max_suspicious_broken_parts: 10_000,
    // Well beyond the five seconds between two looks that sync merged parts.
    old_parts_lifetime: 30,
    // The engine's own periods grow to five minutes while little goes, and the disk would hold everything twice as long.
    cleanup_delay_period: 5,
    max_cleanup_delay_period: 10,
    cleanup_delay_period_random_add: 0,
  },
};

/** Size of a merged part. Beyond it, merging costs more than fewer parts save. */
export const mergedBytesMax = 10 * 1024 ** 3;

export const settings: Readonly<Record<string, number | string>> = {
  // Merged parts are synced, too, all but their text indexes (`writer/flushing/partSync.ts`).
  min_compressed_bytes_to_fsync_after_merge: 1,
  min_rows_to_fsync_after_merge: 1,
  // Indexes are made of a block at a time, and take many times its size.
  merge_max_block_size_bytes: 2_097_152,
  // Each part that is merged takes some 6 MB, where bodies are long.
  max_parts_to_merge_at_once: 20,
  // ClickHouse takes an insert of a name once: the flusher repeats an insert whose answer it did not see.
  non_replicated_deduplication_window: 10_000,
  max_bytes_to_merge_at_max_space_in_pool: mergedBytesMax,
  exclude_deleted_rows_for_part_size_in_merge: 1,
  // Kept counts lose what is struck out of a part at the same moment.
  lightweight_mutation_projection_mode: 'rebuild',
};
