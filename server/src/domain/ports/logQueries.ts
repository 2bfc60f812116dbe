/** The log store as the domain sees it: the half that finds entries again and lets them go. */
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
  ArrivedQuestion,
  DatasetRetention,
  DatasetUsage,
  FoundArrivals,
  LogArrivals,
  LogQueries,
  LogRemovals,
} from '@tapedeck/log-store';
