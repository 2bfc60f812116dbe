/** The log store as the domain sees it: the half that takes entries in. What each call promises stands in the package. */
import type { LogIntake as StoreIntake } from '@tapedeck/log-store';

export type { KeyRecord, LogBackfill, LogBatch, LogCondition, LogTarget } from '@tapedeck/log-store';

/** Waiting for what was taken in is the store's own business. */
export type LogIntake = Pick<StoreIntake, 'openBatch' | 'findKey' | 'subscribe'>;
