/** What the package offers: a store of log entries that acknowledges after the disk has them, and finds them in ClickHouse. */
export {
  type AttachedLogStore,
  hasLogStore,
  openAttachedLogStore,
  planLogTables,
  prepareLogTables,
} from './attachedStore.ts';
export type { BackfillState, LogBackfill } from './backfill/logBackfill.ts';
export { type LogsPart, logsPart, logsPartName } from './backup/backupPart.ts';
export type { EntrySelection } from './backup/transfer.ts';
export { type LogVerification, verifyLogs } from './backup/verification.ts';
export type { DraftRows, DraftStamps } from './blocks/draftRows.ts';
export { type FoundServer, inspectTarget, openTarget } from './copying/copyTarget.ts';
export { type KeptKeys, readKeptKeys } from './copying/keptKeys.ts';
export { LogCopy, type LogCopyPass, type LogCopyProgress, measureEntries } from './copying/logCopy.ts';
export { LogStoreFailure, logStoreCodes } from './failures.ts';
export type { DeletedPlace, LogDeletion, LogDeletions } from './flushing/logDeletions.ts';
export type { LogBatch, LogIntake } from './intake/logIntake.ts';
export type { BatchTarget, LogTarget } from './intake/targets.ts';
export type { SharedJournal } from './journal/bucket/bucketIntake.ts';
export type {
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  SilentWriter,
  WaitingSegment,
} from './journal/bucket/segmentRegistry.ts';
export { measureWaitingBytes } from './journal/disk/segmentWatch.ts';
export type { KeyRecord } from './journal/journal.ts';
export { findLostParts, type LostParts, waitUntilAccepted } from './ledger/acceptance.ts';
export type { LogLoss } from './ledger/lossWords.ts';
export type { Logger } from './logger.ts';
export { matchAll } from './queries/entries.ts';
export type {
  ArrivalAsking,
  ArrivalSpan,
  ArrivedQuestion,
  DatasetUsage,
  DayCount,
  DaySpan,
  FoundArrivals,
  LogArrivals,
  LogQueries,
  NewPattern,
  TimedCount,
} from './queries/logQueries.ts';
export type { DatasetRetention, LogExpiry, LogRemovals } from './removals/logRemovals.ts';
export { type AdoptedStore, prepareAdoption } from './servers/adoption.ts';
export type { LogCondition } from './servers/condition.ts';
export type { LogServers, ServerAddress } from './servers/logServers.ts';
export { markUnmarked } from './servers/serverMarks.ts';
export {
  beginEngine,
  type LogStore,
  type LogStoreDeps,
  type LogsConfig,
  markShards,
  openLogStore,
  type StartingEngine,
} from './store.ts';
