/** The engine's settings for queries, by their weight and kind. */
import { sequentialSettings } from '../writer/schema/replication.ts';

/**
 * Light queries read little and are sent at once. An index leads searches to few entries, so they have a separate line
 * and don't wait behind heavy queries, which may read everything. Exports have no timeout, and neither do followers
 * that catch up with the log: a thousand may come at once, and no user waits for their results. All but light queries
 * run with a slightly lower priority. A much lower one would get no processor time on a busy machine.
 */
export type Weight = 'light' | 'search' | 'heavy' | 'export' | 'catchUp';

const threadsMax = 2;
const queryCharactersMax = 16 * 1024 * 1024; // a query may have a thousand texts, each with the expressions that fold its letter case
const idleSendTimeSecondsMax = 3_600; // a reader of an export may pause

/**
 * For small statements that use the key. The engine's older planner takes up to a millisecond less, and much less on tables of earlier
 * versions, whose computed columns the analyzer resolves each time. But it reads more columns to filter entries, so queries that search
 * texts keep the analyzer (`DECISIONS.md`, "Small statements go without the analyzer").
 */
export const plainSettings = { enable_analyzer: 0 };

/** For statements that the counts beside entries cannot answer. Otherwise the engine compares the statement with each of these counts. */
export const withoutCounts = { optimize_use_projections: 0 };

/** For statements that read all metadata or several paths: the engine would otherwise read the metadata again for each path. */
export const wholeMapSettings = { optimize_functions_to_subcolumns: 0 };

/** For counts that use an index: they read almost nothing, so planning takes most of the time. */
export const ledSettings = { ...plainSettings, ...withoutCounts };

export const weightSettings: Readonly<Record<Weight, Readonly<Record<string, number>>>> = {
  light: {},
  search: { os_threads_nice_value_query: 2 },
  heavy: { os_threads_nice_value_query: 4 },
  export: {
    os_threads_nice_value_query: 14,
    http_send_timeout: idleSendTimeSecondsMax,
    output_format_parallel_formatting: 1, // exports have many rows
  },
  catchUp: { os_threads_nice_value_query: 6 },
};

export const commonSettings = {
  max_threads: threadsMax,
  max_query_size: queryCharactersMax,
  precise_float_parsing: 1, // reads numbers in metadata exactly like JSON.parse
  // Looks up even short terms in the dictionary, and terms that many words contain.
  text_index_like_min_pattern_length: 1,
  text_index_like_max_postings_to_read: 1_000_000,
  // Otherwise the engine merges four or more texts joined by OR into one function, which cannot use the word index.
  optimize_or_like_chain: 0,
  // Reads filters while planning, in one go. While reading entries, the engine reads the same filters, and takes twice as long.
  use_skip_indexes_on_data_read: 0,
  // Statements over merged and unmerged parts must see the same parts, even if a merge ends meanwhile (`conditions.ts`).
  enable_shared_storage_snapshot_in_query: 1,
  // A shard that does not answer is an error, never a smaller result.
  skip_unavailable_shards: 0,
  ...sequentialSettings,
  // Makes the engine discard entries that cannot be on the page early; otherwise it keeps all matches until the end.
  max_bytes_before_remerge_sort: 50_000_000,
  remerge_sort_lowered_memory_bytes_ratio: 1,
  // The cache saves little, and its results may be wrong after a deletion.
  use_query_condition_cache: 0,
};
