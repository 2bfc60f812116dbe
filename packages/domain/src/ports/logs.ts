/** Ports to the log store: its intake, and the records that it keeps in the database. The package documents each call. */
import type { LogIntake as StoreIntake } from '@tapedeck/log-store';

export type {
  KeyRecord,
  LogBackfill,
  LogBatch,
  LogDeletions,
  LogHealth,
  LogTarget,
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  WaitingSegment,
} from '@tapedeck/log-store';

/** The store itself waits for entries to become searchable. */
export type LogIntake = Pick<StoreIntake, 'openBatch' | 'findKey' | 'subscribe'>;
