/** The half of the store that finds entries again, and what each call promises. */
import type {
  Arrival,
  ArrivedEntry,
  FoundLogs,
  FoundPatterns,
  LogBucket,
  LogBuckets,
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
  SubjectDirectory,
  SubjectPaths,
  ValueCount,
} from '@tapedeck/log-entries';

/** A kind of subjects in a project. */
export type SummedKind = { project: string; paths: SubjectPaths };

export type DatasetUsage = {
  name: string;
  entries: number;
  /** On disk, indexes included. */
  bytes: number;
  /** Unix microseconds. */
  lastEntryMicros: number;
};

/** Days since 1970-01-01 in UTC, both ends included. */
export type DaySpan = { fromDay: number; toDay: number };

export type DayCount = { day: number; dataset: string; entries: number };

/**
 * Every answer covers all entries acknowledged before the call, and is complete or an error: `engine_unavailable` when
 * the engine, or one of its shards, does not answer, `query_timeout` after 30 s, `overloaded` when it has no memory for
 * the question. An aborted signal ends the work in the engine too and rejects with the signal's reason.
 */
export interface LogQueries {
  findEntries(filter: LogFilter, page: LogPage, signal: AbortSignal): Promise<FoundLogs>;
  countEntries(filter: LogFilter, signal: AbortSignal): Promise<number>;
  /** Finds an entry in any dataset of the project, or in those named; null when there is none. */
  findEntry(place: LogPlace, signal: AbortSignal): Promise<LogEntry | null>;
  /** Entries whose parentId is the traceId, in any dataset of the project or in those named; oldest first, `limit` at most. */
  findChildren(place: LogPlace, limit: number, signal: AbortSignal): Promise<readonly LogEntry[]>;
  /** The entry and those matches of the filter that stand around it in its own dataset, oldest first. */
  findContext(place: LogPlace, around: LogNeighbours, signal: AbortSignal): Promise<LogContext | null>;
  /** First and last time among the matches; null when there are none. */
  findTimeRange(
    filter: LogFilter,
    signal: AbortSignal,
  ): Promise<{ fromMicros: number; toMicros: number } | null>;
  /** Each bucket asked for, empty ones included. What lies outside of them is not counted. */
  countByTime(filter: LogFilter, buckets: LogBuckets, signal: AbortSignal): Promise<readonly LogBucket[]>;
  /** The most frequent values with their exact counts, most frequent first, equal counts by value. */
  countValues(
    filter: LogFilter,
    question: LogValuesQuestion,
    signal: AbortSignal,
  ): Promise<readonly ValueCount[]>;
  /**
   * The level, the resource and every metadata path that occurs among the matches and whose name (`nameField`) begins
   * with the prefix. Fields of most entries come first, equal ones by name, `limit` at most. An empty resource does not
   * count.
   */
  findFields(
    filter: LogFilter,
    question: { prefix: string; limit: number },
    signal: AbortSignal,
  ): Promise<readonly LogFieldUse[]>;
  /**
   * The most frequent values come first, equally frequent ones by value. Where a measure adds up, the series of all
   * other matches follows, if there are any. Counts and sums of nothing are 0; any other measure of nothing, or one
   * that is no finite number, is null. Matches outside of the buckets are ignored.
   */
  findSeries(
    filter: LogFilter,
    question: LogSeriesQuestion,
    signal: AbortSignal,
  ): Promise<readonly LogSeries[]>;
  /**
   * What matches come to in each window, for every split that has some; in no order. null when there are more points than the question
   * allows, before more memory is taken.
   */
  findWindows(
    filter: LogFilter,
    question: LogWindowsQuestion,
    signal: AbortSignal,
  ): Promise<readonly SplitWindows[] | null>;
  /**
   * How many matches each interval of the epoch has, those that have some, in the order of time; `ms` is when it begins. Split by
   * a field, entries without a value are left out, and all but the values that are named.
   */
  streamTallies(
    filter: LogFilter,
    question: { intervalMs: number; by: { field: LogField; values: readonly string[] | null } | null },
    signal: AbortSignal,
  ): AsyncIterable<TimedCount[]>;
  /**
   * The patterns of matches that are the first of their dataset within the times of the filter, or come so soon after the first; in
   * the order of the first matches, `limit` at most.
   */
  findFirstPatterns(
    filter: LogFilter,
    question: { withinMs: number; limit: number },
    signal: AbortSignal,
  ): Promise<readonly NewPattern[]>;
  /**
   * The most frequent pattern first, equally frequent ones by their digits. However many there are, the question takes no more
   * memory. What lies outside of the buckets is passed over.
   */
  findPatterns(filter: LogFilter, question: LogPatternsQuestion, signal: AbortSignal): Promise<FoundPatterns>;
  /** Totals over all entries that name a subject; null when none does. */
  findProfile(project: string, question: LogProfileQuestion, signal: AbortSignal): Promise<LogProfile | null>;
  /**
   * All subjects that entries of a project name, in any dataset. They may be in several directories, which add up to what is known
   * of them. `overloaded` where they are too many to be listed.
   */
  listSubjects(
    project: string,
    paths: SubjectPaths,
    signal: AbortSignal,
  ): Promise<readonly SubjectDirectory[]>;
  /** The same; null while that would read very many entries. Then the list is made beside, so that it is there some time later. */
  listSubjectsSoon(
    project: string,
    paths: SubjectPaths,
    signal: AbortSignal,
  ): Promise<readonly SubjectDirectory[] | null>;
  /**
   * Updates the sums by subject for these kinds, and removes those of other kinds. Pages of such subjects are answered
   * from sums, or from entries while sums are incomplete. Does nothing where other processes insert, because sums are
   * useless then. Resolves to the kinds that sums answer from now on: their sums were just made, or proved to be
   * complete.
   */
  keepSums(kinds: readonly SummedKind[], signal: AbortSignal): Promise<readonly SummedKind[]>;
  /** Every match, however many, as fast as they are taken; little is held in between. No time limit. */
  streamEntries(
    filter: LogFilter,
    page: Pick<LogPage, 'order' | 'after'>,
    signal: AbortSignal,
  ): AsyncIterable<LogEntry[]>;
  /**
   * The same, for whoever hands entries on to another thread: each is the JSON of an array of its time in microseconds, its body, resource,
   * level, dataset and metadata.
   */
  streamEntryTexts(
    filter: LogFilter,
    page: Pick<LogPage, 'order' | 'after'>,
    signal: AbortSignal,
  ): AsyncIterable<string[]>;
  /** By name. */
  listDatasets(project: string, signal: AbortSignal): Promise<readonly Readonly<DatasetUsage>[]>;
  /** The same, of what is there at present, also where entries are missing that were acknowledged. */
  listStored(project: string, signal: AbortSignal): Promise<readonly Readonly<DatasetUsage>[]>;
  /** By day, then dataset; those without entries are left out. */
  countByDay(project: string, span: DaySpan, signal: AbortSignal): Promise<readonly Readonly<DayCount>[]>;
}

/** Covers arrivals after `after`, up to and including `upTo`, that match any of the filters. */
export type ArrivalSpan = {
  filters: readonly LogFilter[];
  after: Arrival;
  upTo: Arrival;
  entriesMax: number;
  bytesMax: number;
};

/**
 * Entries in order. What exceeds the limits is left out at the end; then `upTo` is the place of the last one. Bytes are
 * roughly what the entries take in memory while they are sent. The time limit does not include waiting in line.
 */
export type FoundArrivals = { arrived: ArrivedEntry[]; upTo: Arrival; bytes: number; tookMs: number };

/**
 * Aborting `signal` ends the work. A question that nobody is in a hurry for waits behind the others, without a limit of
 * time, until `line` is aborted; what has begun by then goes on to its end.
 */
export type ArrivalAsking =
  | { urgency: 'now'; signal: AbortSignal }
  | { urgency: 'whenever'; line: AbortSignal; signal: AbortSignal };

/** From the first microsecond of arrival up to the one behind the last, of which all must be settled. */
export type SettledSpan = { fromMicros: number; toMicros: number };

/** The times of the filter are passed over. Split by a field, entries without a value are left out. */
export type ArrivedQuestion = {
  filter: LogFilter;
  /** Known values are never left out; of others the answer has the most frequent ones. */
  by: { field: LogField; known: readonly string[] } | null;
};

/** Entries of one moment. The value is '' without grouping, and very long values are cut. */
export type TimedCount = { ms: number; value: string; count: number };

/** Entries that arrived within one millisecond. */
export type ArrivedCount = TimedCount;

/** With the millisecond in which it came. */
export type NewPattern = { dataset: string; pattern: string; count: number; ms: number };

export interface LogArrivals {
  /**
   * `now` is the store's time: everything acknowledged by this node before the call came earlier, everything
   * acknowledged by it after the answer comes later. `settled` is a place before which nothing will come any more.
   */
  findEnd(signal: AbortSignal): Promise<{ now: Arrival; settled: Arrival }>;
  /** `upTo` must be settled. */
  findArrived(span: ArrivalSpan, asking: ArrivalAsking): Promise<FoundArrivals>;
  /** How many of what arrived match each of the questions, of which many take hardly more time than one. */
  countArrived(
    span: SettledSpan,
    questions: readonly ArrivedQuestion[],
    signal: AbortSignal,
  ): Promise<readonly (readonly ArrivedCount[])[]>;
  /** For each filter the patterns among what matches and arrived of which nothing had arrived in their dataset before; the most frequent ones. */
  findNewPatterns(
    filters: readonly LogFilter[],
    span: SettledSpan,
    signal: AbortSignal,
  ): Promise<readonly (readonly NewPattern[])[]>;
}
