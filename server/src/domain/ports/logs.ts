/** Port to the log store: ingest. The package states what each call promises. */
import type { LogIntake as StoreIntake } from '@tapedeck/log-store';

export type { KeyRecord, LogBackfill, LogBatch, LogCondition, LogTarget } from '@tapedeck/log-store';

/** Waiting for what was taken in is the store's own business. */
export type LogIntake = Pick<StoreIntake, 'openBatch' | 'findKey' | 'subscribe'>;
