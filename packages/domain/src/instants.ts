/** Parses times and durations that users write. */
import { parseInstant } from '@tapedeck/values/json';
import { invalidFieldError } from './vocabulary.ts';

export const dayMs = 86_400_000;

const spanUnitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
};
const spanMsMax = 1000 * 366 * dayMs; // a thousand years, well within the range of a Date

/** Parses an RFC 3339 instant into Unix milliseconds. Errors name the field. */
export function readInstantMs(field: string, text: string): number {
  const instant = parseInstant(text);
  if (instant !== null) return instant.ms;
  throw invalidFieldError(field, `${field} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`);
}

/** Parses a span such as `30s`, `12h` or `30d` into milliseconds; null if it is malformed or exceeds `spanMsMax`. */
export function readSpanMs(text: string): number | null {
  const match = /^(\d{1,12})([smhdw])$/.exec(text);
  const spanMs = match ? Number(match[1]) * spanUnitsMs[match[2]!]! : Number.POSITIVE_INFINITY;
  return spanMs <= spanMsMax ? spanMs : null;
}
