/** Port to the log store's intake. The package documents each call. */
import type { LogIntake as StoreIntake } from '@tapedeck/log-store';

export type { KeyRecord, LogBackfill, LogBatch, LogHealth, LogTarget } from '@tapedeck/log-store';

/** The store itself waits for entries to become searchable. */
export type LogIntake = Pick<StoreIntake, 'openBatch' | 'findKey' | 'subscribe'>;
