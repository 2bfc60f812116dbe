/** Port to the log entries that rules ask about. */
import type { LogArrivals, LogQueries } from '@tapedeck/log-store';

/** Entries as they arrive, by the clock of the log store. */
export type Arrivals = Pick<LogArrivals, 'countArrived' | 'findArrived' | 'findEnd' | 'findNewPatterns'>;

/** Entries that are stored, by their own timestamps. */
export type StoredEntries = Pick<
  LogQueries,
  | 'countEntries'
  | 'countValues'
  | 'findFields'
  | 'findFirstPatterns'
  | 'findPatterns'
  | 'findSeries'
  | 'streamTallies'
>;
