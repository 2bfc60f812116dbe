/** Reads instants and spans of time as people write them. */
import { ServiceError } from '../vocabulary.ts';

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const spanUnitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const spanMsMax = 1000 * 366 * 86_400_000; // a thousand years stay far inside of what a Date can hold

/** Unix milliseconds of an RFC 3339 instant; the error names the field. */
export function readInstant(field: string, text: string): number {
  const match = rfc3339.exec(text);
  const at = match ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  // Date.parse turns 30 February into 2 March.
  const daysOfMonth = match ? new Date(Date.UTC(Number(match[1]), Number(match[2]), 0)).getUTCDate() : 0;
  if (Number.isNaN(at) || Number(match![3]) > daysOfMonth) {
    throw new ServiceError(
      'invalid_field',
      `${field} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`,
    );
  }
  return at;
}

/** Milliseconds of a span such as `30s`, `12h` or `30d`; null when it is none, or longer than anybody means. */
export function readSpanMs(text: string): number | null {
  const match = /^(\d{1,12})([smhdw])$/.exec(text);
  const spanMs = match ? Number(match[1]) * spanUnitsMs[match[2]!]! : Number.POSITIVE_INFINITY;
  return spanMs <= spanMsMax ? spanMs : null;
}
