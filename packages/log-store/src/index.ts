/** Stores log entries: acknowledges them once they are on disk, and queries them with ClickHouse. */
export {
  type AttachedLogStore,
  hasLogStore,
  openAttachedLogStore,
  planLogTables,
  prepareLogTables,
} from './attachedStore.ts';
export type { DraftRows } from './blocks/drafts.ts';
export type { LogTarget } from './blocks/targets.ts';
export { LogStoreFailure, logStoreCodes } from './failures.ts';
export type { SharedJournal } from './intake/bucketIntake.ts';
export type { LogBatch, LogIntake } from './intake/logIntake.ts';
export type {
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  WaitingSegment,
} from './journal/bucket/segmentRegistry.ts';
export { measureWaitingBytes } from './journal/disk/segmentWatch.ts';
export type { KeyRecord } from './journal/journal.ts';
export type { LogDeletions } from './journal/logDeletions.ts';
export { findLostParts, waitUntilAccepted } from './operations/acceptance.ts';
export { type AdoptedStore, prepareAdoption } from './operations/adoption.ts';
export type { LogBackfill } from './operations/backfill/logBackfill.ts';
export { logsPart, logsPartName } from './operations/backup/backupPart.ts';
export type { EntrySelection } from './operations/backup/transfer.ts';
export { verifyLogs } from './operations/backup/verification.ts';
export { inspectTarget, openTarget } from './operations/copying/copyTarget.ts';
export { readKeptKeys } from './operations/copying/journalKeys.ts';
export { LogCopy, measureEntries } from './operations/copying/logCopy.ts';
export type { DatasetRetention, LogRemovals } from './operations/removals/logRemovals.ts';
export { matchAll } from './queries/entries.ts';
export type {
  ArrivalSpan,
  ArrivedQuestion,
  DatasetUsage,
  FoundArrivals,
  LogArrivals,
  LogQueries,
  NewPattern,
  SettledSpan,
  TimedCount,
} from './queries/logQueries.ts';
export { type LogStore, openLogStore } from './store.ts';
export { markShards } from './writer/servers/addresses.ts';
export type { LogHealth } from './writer/servers/health.ts';
export type { LogServers, ServerAddress } from './writer/servers/logServers.ts';
export { markUnmarked } from './writer/servers/serverMarks.ts';
