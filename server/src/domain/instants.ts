/** Parses times and durations as people write them. */
import { parseInstant } from '@tapedeck/values/json';
import { invalidFieldError } from '../vocabulary.ts';

export const dayMs = 86_400_000;

const spanUnitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
};
const spanMsMax = 1000 * 366 * dayMs; // a thousand years stay far inside of what a Date can hold

/** Unix milliseconds of an RFC 3339 instant; the error names the field. */
export function readInstantMs(field: string, text: string): number {
  const instant = parseInstant(text);
  if (instant !== null) return instant.ms;
  throw invalidFieldError(field, `${field} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`);
}

/** Milliseconds of a span such as `30s`, `12h` or `30d`; null when it is none, or longer than anybody means. */
export function readSpanMs(text: string): number | null {
  const match = /^(\d{1,12})([smhdw])$/.exec(text);
  const spanMs = match ? Number(match[1]) * spanUnitsMs[match[2]!]! : Number.POSITIVE_INFINITY;
  return spanMs <= spanMsMax ? spanMs : null;
}
