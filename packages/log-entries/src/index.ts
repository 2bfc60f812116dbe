/** Log entries: their limits and identity, parsing from JSON, filters and order. */
export {
  type Arrival,
  type ArrivedEntry,
  compareArrivals,
  endArrivals,
  findEarlier,
  findPlainPlace,
  isInsideInsert,
} from './arrivals.ts';
export { writePlainItems } from './directItems.ts';
export { countCharacters, type LogEntry, type UnreadEntry } from './entries.ts';
export { EntryFailure, entryCodes } from './failure.ts';
export {
  compileFilter,
  type FilterMatcher,
  type LogFilter,
  type MatchableArrival,
} from './filters.ts';
export { createStamper, formatTraceId, type Stamper, systemMicros } from './identity.ts';
export {
  createItemWriter,
  type ItemRules,
  type ItemSink,
  type LogItem,
  readLevelSynonym,
  readTimestampMicros,
  type TimeRange,
  writeItem,
} from './items.ts';
export { parseBody, parseJsonText, readJsonText, readRepairedText } from './json.ts';
export { type LevelSynonyms, type LogLevel, logLevels } from './levels.ts';
export { addFitted, addPresent, cutToFit, FittedMetadata, finishFitted, toText } from './limitFitting.ts';
export { entryLimits } from './limits.ts';
export type {
  ComparedValue,
  CountedLogs,
  FoundLogs,
  FoundPatterns,
  ListedLogs,
  LogBucket,
  LogBuckets,
  LogComparison,
  LogComparisonQuestion,
  LogContext,
  LogField,
  LogFieldUse,
  LogMeasure,
  LogNeighbours,
  LogOrder,
  LogPage,
  LogPattern,
  LogPatternsQuestion,
  LogPlace,
  LogSeries,
  LogSeriesQuestion,
  LogSpan,
  LogValuesQuestion,
  LogWindows,
  LogWindowsQuestion,
  SplitWindows,
  ValueCount,
  WindowField,
  WindowMeasure,
} from './queryTypes.ts';
export type { EncodedRow, EntryStamp, LogRow, RowSink, Slice } from './rows.ts';
export { logStatistics } from './statistics.ts';
export { type ClockReading, type ClockStep, StoreClock } from './storeClock.ts';
export {
  type LogProfile,
  type LogProfileQuestion,
  listShownPaths,
  type SubjectList,
  type SubjectPaths,
  type SubjectSum,
  type TimesUsed,
  widenTimes,
} from './subjects.ts';
export { composeTraceId, formatMicros, parseTraceId } from './traceIds.ts';
export { readValueField } from './valueFields.ts';
