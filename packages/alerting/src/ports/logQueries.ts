/** Port to the log entries that rules query. */
import type { LogArrivals, LogQueries } from '@tapedeck/log-store';

/** Entries in order of arrival, by the log store's clock. */
export type Arrivals = Pick<LogArrivals, 'countArrived' | 'findArrived' | 'findEnd' | 'findNewPatterns'>;

/** Stored entries, by their own timestamps. */
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
