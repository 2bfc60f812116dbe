/** Port to the log store: queries and deletions. */
export type {
  Arrival,
  ArrivedEntry,
  FoundLogs,
  FoundPatterns,
  LogBucket,
  LogBuckets,
  LogContext,
  LogEntry,
  LogField,
  LogFilter,
  LogMeasure,
  LogOrder,
  LogPage,
  LogPlace,
  LogSeries,
  ValueCount,
} from '@tapedeck/log-entries';
export type {
  ArrivalSpan,
  DatasetRetention,
  DatasetUsage,
  FoundArrivals,
  LogArrivals,
  LogQueries,
  LogRemovals,
} from '@tapedeck/log-store';
