/** Reads the `timestamp` of an entry: RFC 3339 down to the microsecond, or Unix milliseconds. */
import { parseInstantMicros } from '@tapedeck/values/json';

/** Unix microseconds; null when it is neither form. Digits beyond microseconds are cut off. */
export function readTimestampMicros(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.floor(value * 1000) : null;
  return typeof value === 'string' ? parseInstantMicros(value) : null;
}
