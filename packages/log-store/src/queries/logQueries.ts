/** The ports of the reading half of the store. The comments are their contracts. */
import type {
  Arrival,
  ArrivedEntry,
  CountedLogs,
  FoundLogs,
  FoundPatterns,
  ListedLogs,
  LogBucket,
  LogBuckets,
  LogComparison,
  LogComparisonQuestion,
  LogContext,
  LogEntry,
  LogField,
  LogFieldUse,
  LogFilter,
  LogNeighbours,
  LogPage,
  LogPatternsQuestion,
  LogPlace,
  LogProfile,
  LogProfileQuestion,
  LogSeries,
  LogSeriesQuestion,
  LogValuesQuestion,
  LogWindowsQuestion,
  SplitWindows,
  SubjectList,
  SubjectPaths,
  UnreadEntry,
  ValueCount,
} from '@tapedeck/log-entries';

export type SummedKind = { project: string; paths: SubjectPaths };

export type DatasetUsage = {
  name: string;
  entries: number;
  /** On disk, including indexes. */
  bytes: number;
  /** Unix microseconds. */
  lastEntryMicros: number;
};

/** Days since 1970-01-01 in UTC, inclusive. */
export type DaySpan = { fromDay: number; toDay: number };

export type DayCount = { day: number; dataset: string; entries: number };

/**
 * Every result covers all entries acknowledged before the call. It is complete, or the call rejects: `engine_unavailable` if
 * the engine or a shard does not answer, `query_timeout` after 30 s, `overloaded` if the engine lacks memory for the query.
 * Aborting the signal also ends the work in the engine, and rejects with the signal's reason.
 */
export interface LogQueries {
  /** Entries that would take too much memory together are listed as unread; `streamListed` reads them. */
  findEntries(filter: LogFilter, page: LogPage, signal: AbortSignal): Promise<FoundLogs>;
  /** Finds a page and counts all matches. For few matches, this costs less than both by themselves. */
  findCountedEntries(filter: LogFilter, page: LogPage, signal: AbortSignal): Promise<CountedLogs>;
  countEntries(filter: LogFilter, signal: AbortSignal): Promise<number>;
  /** Finds an entry in the given datasets, or in all datasets of the project; null if there is none. */
  findEntry(place: LogPlace, signal: AbortSignal): Promise<LogEntry | null>;
  /** Finds at most `limit` entries whose parentId is the traceId, in the given datasets or all of the project; oldest first. */
  findChildren(place: LogPlace, limit: number, signal: AbortSignal): Promise<ListedLogs>;
  /** Finds the entry and the matches around it in its dataset, oldest first. */
  findContext(place: LogPlace, around: LogNeighbours, signal: AbortSignal): Promise<LogContext | null>;
  /** Finds the first and last time of the matches; null without matches. */
  findTimeRange(
    filter: LogFilter,
    signal: AbortSignal,
  ): Promise<{ fromMicros: number; toMicros: number } | null>;
  /** Counts matches in each requested bucket, including empty ones. Ignores matches outside them. */
  countByTime(filter: LogFilter, buckets: LogBuckets, signal: AbortSignal): Promise<readonly LogBucket[]>;
  /** Counts the most frequent values exactly; most frequent first, equal counts by value. */
  countValues(
    filter: LogFilter,
    question: LogValuesQuestion,
    signal: AbortSignal,
  ): Promise<readonly ValueCount[]>;
  /**
   * Counts every value of every field (level, resource, dataset, pattern and metadata paths) in two spans, exactly. The filter's times
   * must include both. The clearest differences come first, beyond what the number of entries in each span explains; equally clear ones
   * by name and value; which of them the limit cuts off is open. Leaves out values with fewer than five entries in each span, and empty resources.
   */
  compareSpans(
    filter: LogFilter,
    question: LogComparisonQuestion,
    signal: AbortSignal,
  ): Promise<LogComparison>;
  /**
   * Finds the fields of the matches (level, resource and metadata paths) whose name (`nameField`) begins with the prefix.
   * The most used come first, equal ones by name, at most `limit`. An empty resource does not count.
   */
  findFields(
    filter: LogFilter,
    question: { prefix: string; limit: number },
    signal: AbortSignal,
  ): Promise<readonly LogFieldUse[]>;
  /**
   * Returns the most frequent values first, equally frequent ones by value. If the measure adds up, a series of all
   * other matches follows, if any. Counts and sums of nothing are 0; other measures of nothing, and results that are
   * not finite, are null. Ignores matches outside the buckets.
   */
  findSeries(
    filter: LogFilter,
    question: LogSeriesQuestion,
    signal: AbortSignal,
  ): Promise<readonly LogSeries[]>;
  /**
   * Measures the matches in each window, for every group that has some, in no order. Returns null if there are more points than the
   * question allows, before it takes more memory.
   */
  findWindows(
    filter: LogFilter,
    question: LogWindowsQuestion,
    signal: AbortSignal,
  ): Promise<readonly SplitWindows[] | null>;
  /**
   * Counts the matches in each interval of the epoch, in the order of time, without empty intervals; `ms` is the interval's start.
   * With `by`, it leaves out entries without a value, and values other than the given ones.
   */
  streamTallies(
    filter: LogFilter,
    question: { intervalMs: number; by: { field: LogField; values: readonly string[] | null } | null },
    signal: AbortSignal,
  ): AsyncIterable<TimedCount[]>;
  /**
   * Finds patterns that first occur in their dataset within the filter's times and whose first match comes at most `withinMs` later.
   * Ordered by first match, at most `limit`.
   */
  findFirstPatterns(
    filter: LogFilter,
    question: { withinMs: number; limit: number },
    signal: AbortSignal,
  ): Promise<readonly NewPattern[]>;
  /**
   * Returns the most frequent patterns first, equally frequent ones by digits. Memory does not grow with the number of patterns.
   * Ignores matches outside the buckets.
   */
  findPatterns(filter: LogFilter, question: LogPatternsQuestion, signal: AbortSignal): Promise<FoundPatterns>;
  /** Returns totals over all entries that name a subject; null if none does. */
  findProfile(project: string, question: LogProfileQuestion, signal: AbortSignal): Promise<LogProfile | null>;
  /**
   * Lists all subjects that entries of a project name, in any dataset. A subject may be in several directories; its totals add up.
   * Rejects with `overloaded` if there are too many to list.
   */
  listSubjects(project: string, paths: SubjectPaths, signal: AbortSignal): Promise<readonly SubjectList[]>;
  /** Like `listSubjects`, but returns null if that would read very many entries. It then makes the list in the background. */
  listSubjectsSoon(
    project: string,
    paths: SubjectPaths,
    signal: AbortSignal,
  ): Promise<readonly SubjectList[] | null>;
  /**
   * Updates the sums by subject for these kinds, and removes sums of other kinds. Subject pages use sums, or entries
   * while sums are incomplete. Does nothing if other processes insert, because sums are useless then. Resolves to the
   * kinds whose sums can be used from now on: they were just made, or proved to be complete.
   */
  keepSums(kinds: readonly SummedKind[], signal: AbortSignal): Promise<readonly SummedKind[]>;
  /**
   * Yields listed entries of a project in the given order, and null for those deleted meanwhile. Reads the unread ones on demand, so it needs little
   * more memory than a page.
   */
  streamListed(
    project: string,
    entries: readonly (LogEntry | UnreadEntry)[],
    signal: AbortSignal,
  ): AsyncIterable<LogEntry | null>;
  /** Streams every match at the reader's pace, with little buffering and no time limit. */
  streamEntries(
    filter: LogFilter,
    page: Pick<LogPage, 'order' | 'after'>,
    signal: AbortSignal,
  ): AsyncIterable<LogEntry[]>;
  /**
   * Streams entries as texts, for passing them to another thread. Each is a JSON array of time in microseconds, body, resource, level,
   * dataset and metadata.
   */
  streamEntryTexts(
    filter: LogFilter,
    page: Pick<LogPage, 'order' | 'after'>,
    signal: AbortSignal,
  ): AsyncIterable<string[]>;
  /** Lists datasets by name. */
  listDatasets(project: string, signal: AbortSignal): Promise<readonly Readonly<DatasetUsage>[]>;
  /** Like `listDatasets`, but covers only what is stored now, even if acknowledged entries are missing. */
  listStored(project: string, signal: AbortSignal): Promise<readonly Readonly<DatasetUsage>[]>;
  /** Counts entries by day, then dataset, without zero counts. */
  countByDay(project: string, span: DaySpan, signal: AbortSignal): Promise<readonly Readonly<DayCount>[]>;
}

/** Arrivals after `after`, up to and including `upTo`, that match any of the filters. */
export type ArrivalSpan = {
  filters: readonly LogFilter[];
  after: Arrival;
  upTo: Arrival;
  entriesMax: number;
  bytesMax: number;
};

/**
 * Entries in order. If they exceed the limits, the rest is left out, and `upTo` is the place of the last one. `bytes` estimates
 * the memory that the entries take while they are sent. `tookMs` does not include waiting in line.
 */
export type FoundArrivals = { arrived: ArrivedEntry[]; upTo: Arrival; bytes: number; tookMs: number };

/**
 * Aborting `signal` ends the work. A query with the urgency `whenever` waits behind others, without a timeout, until `line`
 * is aborted. A query that has begun by then runs to its end.
 */
export type ArrivalOptions =
  | { urgency: 'now'; signal: AbortSignal }
  | { urgency: 'whenever'; line: AbortSignal; signal: AbortSignal };

/** Arrival times from `fromMicros` up to, excluding, `toMicros`. All of them must be settled. */
export type SettledSpan = { fromMicros: number; toMicros: number };

/** Ignores the filter's times. With `by`, it leaves out entries without a value. */
export type ArrivedQuestion = {
  filter: LogFilter;
  /** The result has all `known` values, and the most frequent other ones. */
  by: { field: LogField; known: readonly string[] } | null;
};

/** Entries of one moment. Without grouping, the value is ''. Very long values are cut. */
export type TimedCount = { ms: number; value: string; count: number };

/** Entries that arrived within one millisecond. */
export type ArrivedCount = TimedCount;

/** `ms`: the millisecond in which the pattern first arrived. */
export type NewPattern = { dataset: string; pattern: string; count: number; ms: number };

export interface LogArrivals {
  /**
   * `now` is the store's time: entries that this node acknowledged before the call arrived earlier, and entries that it
   * acknowledges after the result arrive later. `settled` is a place before which no more entries will arrive.
   */
  findEnd(signal: AbortSignal): Promise<{ now: Arrival; settled: Arrival }>;
  /** `upTo` must be settled. */
  findArrived(span: ArrivalSpan, options: ArrivalOptions): Promise<FoundArrivals>;
  /** Counts the arrived entries that match each question. Many questions take hardly more time than a single one. */
  countArrived(
    span: SettledSpan,
    questions: readonly ArrivedQuestion[],
    signal: AbortSignal,
  ): Promise<readonly (readonly ArrivedCount[])[]>;
  /** Finds, for each filter, the most frequent patterns of arrived matches that are new to their dataset. */
  findNewPatterns(
    filters: readonly LogFilter[],
    span: SettledSpan,
    signal: AbortSignal,
  ): Promise<readonly (readonly NewPattern[])[]>;
}
