/** The types of questions about entries and of their answers: pages, buckets, values. */
import type { Condition, MemberField } from '@tapedeck/log-query-language';
import type { LogEntry } from './entries.ts';
import type { LogFilter } from './filters.ts';
import type { LogLevel } from './levels.ts';
import type { LogStatistic } from './statistics.ts';

export type LogOrder = 'asc' | 'desc';

export type LogPage = {
  order: LogOrder;
  limit: number;
  offset: number;
  /** A traceId, which need not exist: only what follows it in the order asked for. The order is that of traceIds. */
  after: string | null;
};

export type FoundLogs = { readonly entries: readonly Readonly<LogEntry>[]; readonly hasMore: boolean };

export type LogContext = { before: LogEntry[]; entry: LogEntry; after: LogEntry[] };

export type LogBuckets = { startMicros: number; intervalMicros: number; count: number };

/** Entries whose time is in `[startMicros, startMicros + intervalMicros)`. */
export type LogBucket = { readonly startMicros: number; readonly counts: Readonly<Record<LogLevel, number>> };

export type LogField =
  | { kind: 'level' | 'resource' | 'dataset' | 'pattern' }
  | { kind: 'metadata'; path: string };

/** A field, or a member of bodies. */
export type WindowField = LogField | MemberField;

/** Asks for values of a field that start with the prefix, in any letter case; the `limit` most frequent ones. */
export type LogValuesQuestion = { field: LogField; prefix: string; limit: number };

/** A field that entries have, in how many of them it occurs, and whether all its values there are numbers as JSON writes them. */
export type LogFieldUse = {
  readonly field: LogField;
  readonly kind: 'number' | 'text';
  readonly entries: number;
};

export type ValueCount = { readonly value: string; readonly count: number };

/** The measure of each bucket in a series: the number of entries, or a statistic about a field's values. */
export type LogMeasure =
  | { statistic: 'count' }
  | { statistic: Exclude<LogStatistic, 'count'>; field: LogField };

/** One series for each of the `top` most frequent values of `by`, or a single one over all matches. */
export type LogSeriesQuestion = {
  buckets: LogBuckets;
  by: { field: LogField; top: number } | null;
  measure: LogMeasure;
};

/** A point for each bucket. The value is null where no value of `by` is meant. */
export type LogSeries = { readonly value: string | null; readonly points: readonly (number | null)[] };

/**
 * Window after window: each ends with a moment that it holds, and begins right behind one that it does not. They may overlap, and
 * leave gaps.
 */
export type LogWindows = { firstMicros: number; stepMicros: number; rangeMicros: number; count: number };

/** The measure of a window. Bytes are those of bodies; values are those of a field, where they are JSON numbers. */
export type WindowMeasure =
  | { statistic: 'count' | 'bytes' }
  | {
      statistic: 'sum' | 'avg' | 'min' | 'max' | 'stddev' | 'stdvar' | 'first' | 'last';
      fields: readonly WindowField[];
    }
  /** Between two values it lies on the line from one to the other. */
  | { statistic: 'quantile'; share: number; fields: readonly WindowField[] };

export type LogWindowsQuestion = {
  windows: LogWindows;
  /** Groups windows: by the first field of each list that an entry has. null: by everything but time, body and identity. */
  by: readonly (readonly WindowField[])[] | null;
  /** Entries that match this are grouped separately; null: none are. */
  apart: Condition | null;
  measure: WindowMeasure;
  /** Windows with something in them, of all splits together. */
  pointsMax: number;
};

/** A point is a window, from zero, and what is in it; windows without anything are left out. */
export type SplitWindows = {
  /** The requested values, '' for missing ones. Without a request: dataset, level, resource, and the metadata as JSON. */
  readonly values: readonly string[];
  readonly isApart: boolean;
  readonly points: readonly (readonly [window: number, value: number])[];
};

/** The `limit` most frequent patterns; `isNew`: of those that no entry had before the filter's time begins. */
export type LogPatternsQuestion = {
  buckets: LogBuckets;
  isNew: boolean;
  limit: number;
  /** Merged patterns are one row each, also where no query finds just them; absent: such a row is listed in parts. */
  areWhole?: boolean;
  /** Different values of these fields are counted. */
  unique?: readonly LogField[];
};

/** A group of matches whose bodies differ only in numbers, names and times. */
export type LogPattern = {
  /** The pattern's name in a query: 16 hexadecimal digits, a bracketed list of merged patterns, or their template in quotes. */
  readonly pattern: string;
  /** Each of them, the most frequent first; 100 at most, unless rows are whole. A query names more by the template. */
  readonly patterns: readonly string[];
  /** How many patterns it is. */
  readonly variants: number;
  /** Whether patterns that differ in words are merged. */
  readonly merged: boolean;
  /** The text that their bodies share. */
  readonly template: string;
  /** Metadata paths for which the template has placeholders. */
  readonly paths: readonly string[];
  readonly entries: number;
  readonly levels: Readonly<Record<LogLevel, number>>;
  /** Over all entries with the value in the requested datasets, ignoring other conditions. */
  readonly firstMicros: number;
  readonly lastMicros: number;
  /** By bucket. */
  readonly counts: readonly number[];
  /** How many different values each of the fields has that were asked about. */
  readonly unique: readonly number[];
  /** The body of one of them. */
  readonly sample: string;
};

/** `total`: how many different ones match. */
export type FoundPatterns = { readonly total: number; readonly patterns: readonly LogPattern[] };

/** Ignores the filter's project and datasets, and takes those of the entry. */
export type LogNeighbours = { filter: LogFilter; before: number; after: number };

export type LogPlace = { project: string; datasets: readonly string[] | null; traceId: string };
