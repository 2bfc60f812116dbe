/** A store of log entries that acknowledges once they are on disk, and finds them with ClickHouse. */
export {
  type AttachedLogStore,
  hasLogStore,
  openAttachedLogStore,
  planLogTables,
  prepareLogTables,
} from './attachedStore.ts';
export type { DraftRows, DraftStamps } from './blocks/drafts.ts';
export type { BatchTarget, LogTarget } from './blocks/targets.ts';
export { LogStoreFailure, logStoreCodes } from './failures.ts';
export type { SharedJournal } from './intake/bucketIntake.ts';
export type { LogBatch, LogIntake } from './intake/logIntake.ts';
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
export type { DeletedPlace, LogDeletion, LogDeletions } from './journal/logDeletions.ts';
export type { Logger } from './logger.ts';
export { findLostParts, type LostParts, waitUntilAccepted } from './operations/acceptance.ts';
export { type AdoptedStore, prepareAdoption } from './operations/adoption.ts';
export type { BackfillState, LogBackfill } from './operations/backfill/logBackfill.ts';
export { type LogsPart, logsPart, logsPartName } from './operations/backup/backupPart.ts';
export type { EntrySelection } from './operations/backup/transfer.ts';
export { type LogVerification, verifyLogs } from './operations/backup/verification.ts';
export { type FoundServer, inspectTarget, openTarget } from './operations/copying/copyTarget.ts';
export { type KeptKeys, readKeptKeys } from './operations/copying/keptKeys.ts';
export {
  LogCopy,
  type LogCopyPass,
  type LogCopyProgress,
  measureEntries,
} from './operations/copying/logCopy.ts';
export type { DatasetRetention, LogExpiry, LogRemovals } from './operations/removals/logRemovals.ts';
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
  SettledSpan,
  TimedCount,
} from './queries/logQueries.ts';
export { type LogStore, type LogStoreDeps, openLogStore } from './store.ts';
export type { LogLoss } from './writer/ledger/lossMessages.ts';
export { type LogsConfig, markShards } from './writer/servers/addresses.ts';
export type { LogCondition } from './writer/servers/condition.ts';
export type { LogServers, ServerAddress } from './writer/servers/logServers.ts';
export { markUnmarked } from './writer/servers/serverMarks.ts';
