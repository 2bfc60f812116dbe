/** The types of queries about entries and of their results: pages, buckets, values. */
import type { Condition, ParsedField } from '@tapedeck/log-query-language';
import type { LogEntry, UnreadEntry } from './entries.ts';
import type { LogFilter } from './filters.ts';
import type { LogLevel } from './levels.ts';
import type { LogStatistic } from './statistics.ts';

export type LogOrder = 'asc' | 'desc';

export type LogPage = {
  order: LogOrder;
  limit: number;
  offset: number;
  /** A traceId, which need not exist. Only entries after it in the requested order are returned; the order is that of traceIds. */
  after: string | null;
};

/** Entries in order. `unread` are the ones after `entries`; readers must show them, too. */
export type ListedLogs = {
  readonly entries: readonly Readonly<LogEntry>[];
  readonly unread: readonly UnreadEntry[];
};

export type FoundLogs = ListedLogs & { readonly hasMore: boolean };

/** `total` counts all matches, also those before the page. */
export type CountedLogs = FoundLogs & { readonly total: number };

/** Oldest first. `unreadBefore` are older than `before`, and `unreadAfter` later than `after`. */
export type LogContext = {
  unreadBefore: readonly UnreadEntry[];
  before: readonly LogEntry[];
  entry: LogEntry;
  after: readonly LogEntry[];
  unreadAfter: readonly UnreadEntry[];
};

export type LogBuckets = { startMicros: number; intervalMicros: number; count: number };

/** Counts entries whose time is in `[startMicros, startMicros + intervalMicros)`. */
export type LogBucket = { readonly startMicros: number; readonly counts: Readonly<Record<LogLevel, number>> };

export type LogField =
  | { kind: 'level' | 'resource' | 'dataset' | 'pattern' }
  | { kind: 'metadata'; path: string };

/** A field, a member of bodies, or a text composed of such values. */
export type WindowField = LogField | ParsedField;

/** Asks for the `limit` most frequent values of a field that start with the prefix, in any letter case. */
export type LogValuesQuestion = { field: LogField; prefix: string; limit: number };

/** A field and the number of entries that have it. Its kind is `number` if all its values there are JSON numbers. */
export type LogFieldUse = {
  readonly field: LogField;
  readonly kind: 'number' | 'text';
  readonly entries: number;
};

export type ValueCount = { readonly value: string; readonly count: number };

/** Inclusive, Unix microseconds. */
export type LogSpan = { fromMicros: number; toMicros: number };

/** Asks for the `limit` values whose counts in the two spans differ most clearly. The spans may overlap. */
export type LogComparisonQuestion = { span: LogSpan; baseline: LogSpan; limit: number };

/** The number of entries with a value, in the span and in the baseline. */
export type ComparedValue = {
  readonly field: LogField;
  readonly value: string;
  readonly entries: number;
  readonly baselineEntries: number;
};

/** `compared`: the number of values that at least one of the spans has often enough. */
export type LogComparison = {
  readonly entries: number;
  readonly baselineEntries: number;
  readonly compared: number;
  readonly values: readonly ComparedValue[];
};

/** The measure of each bucket: the number of entries, or a statistic about a field's values. */
export type LogMeasure =
  | { statistic: 'count' }
  | { statistic: Exclude<LogStatistic, 'count'>; field: LogField };

/** Asks for one series for each of the `top` most frequent values of `by`, or for a single series over all matches. */
export type LogSeriesQuestion = {
  buckets: LogBuckets;
  by: { field: LogField; top: number } | null;
  measure: LogMeasure;
};

/** A point for each bucket. `value` is null for a series that stands for no value of `by`. */
export type LogSeries = { readonly value: string | null; readonly points: readonly (number | null)[] };

/**
 * Windows in time order. A window includes its end and excludes its start. Windows may overlap or leave gaps.
 */
export type LogWindows = { firstMicros: number; stepMicros: number; rangeMicros: number; count: number };

/** The measure of a window. `bytes` counts the bytes of bodies. The other statistics use those values of a field that are JSON numbers. */
export type WindowMeasure =
  | { statistic: 'count' | 'bytes' }
  | {
      statistic: 'sum' | 'avg' | 'min' | 'max' | 'stddev' | 'stdvar' | 'first' | 'last';
      fields: readonly WindowField[];
    }
  /** Interpolates linearly between two values. */
  | { statistic: 'quantile'; share: number; fields: readonly WindowField[] };

export type LogWindowsQuestion = {
  windows: LogWindows;
  /** Groups entries by the first field of each list that an entry has. null: by everything but time, body and identity. */
  by: readonly (readonly WindowField[])[] | null;
  /** Matching entries form separate groups. null: none do. */
  apart: Condition | null;
  measure: WindowMeasure;
  /** Limits the non-empty windows of all groups together. */
  pointsMax: number;
};

/** One group of windows. A point is a window's index, from zero, and its value; empty windows have no point. */
export type SplitWindows = {
  /** The requested values, '' for missing ones. Without a request: dataset, level, resource, and the metadata as JSON. */
  readonly values: readonly string[];
  readonly isApart: boolean;
  readonly points: readonly (readonly [window: number, value: number])[];
};

/** Asks for the `limit` most frequent patterns. `isNew`: only patterns that no entry had before the filter's start. */
export type LogPatternsQuestion = {
  buckets: LogBuckets;
  isNew: boolean;
  limit: number;
  /** Merged patterns are one row each, even if no query finds just them. Absent: such a row is split. */
  areWhole?: boolean;
  /** Counts the distinct values of these fields. */
  unique?: readonly LogField[];
};

/** Matches whose bodies differ only in numbers, names and times. */
export type LogPattern = {
  /** The pattern's name in a query: 16 hexadecimal digits, a bracketed list of merged patterns, or their template in quotes. */
  readonly pattern: string;
  /** The single patterns, most frequent first; at most 100, unless `areWhole`. To query more, use the template. */
  readonly patterns: readonly string[];
  /** The number of single patterns. */
  readonly variants: number;
  /** Whether the row merges patterns that differ in words. */
  readonly merged: boolean;
  /** The text that all these bodies contain. */
  readonly template: string;
  /** Metadata paths for which the template has placeholders. */
  readonly paths: readonly string[];
  readonly entries: number;
  readonly levels: Readonly<Record<LogLevel, number>>;
  /** Over all entries of the requested datasets with the pattern, ignoring other conditions. */
  readonly firstMicros: number;
  readonly lastMicros: number;
  /** Entries by bucket. */
  readonly counts: readonly number[];
  /** The number of distinct values of each field in the question's `unique`. */
  readonly unique: readonly number[];
  /** The body of one match. */
  readonly sample: string;
};

/** `total`: the number of distinct patterns that match. */
export type FoundPatterns = { readonly total: number; readonly patterns: readonly LogPattern[] };

/** Ignores the filter's project and datasets, and uses those of the entry. */
export type LogNeighbours = { filter: LogFilter; before: number; after: number };

export type LogPlace = { project: string; datasets: readonly string[] | null; traceId: string };
