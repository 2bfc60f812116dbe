/** Reads times in the formats of protocols as Unix milliseconds with a fraction, truncated to the microsecond. */
import { parseInstantMicros } from '@tapedeck/values/json';

const digitsOfMs = 6;

/** Reads decimal nanoseconds. Returns null for anything else. */
export function readNanos(text: string): number | null {
  if (!/^-?\d{1,20}$/.test(text)) return null;
  const micros = Number(text.slice(0, -3) || '0');
  return (text.length > digitsOfMs || text.startsWith('-') ? micros : Math.max(0, micros)) / 1000;
}

const wordFactor = 4_294_967; // 2^32 nanoseconds in whole microseconds …
const wordRest = 296; // … and the remaining nanoseconds

/** Joins the halves of an unsigned 64-bit number of nanoseconds. */
export function joinNanos(low: number, high: number): number {
  return (high * wordFactor + Math.floor((high * wordRest + low) / 1000)) / 1000;
}

const secondsMax = 1e11; // as milliseconds this is 1973, as seconds the year 5138; each unit adds a factor of a thousand
const millisMax = 1e14;
const microsMax = 1e17;

/** Reads a number or decimal digits, whose size tells the unit, or an RFC 3339 instant. Returns null for anything else. */
export function readAnyTime(value: unknown): number | null {
  if (typeof value === 'number') return readNumber(value);
  if (typeof value !== 'string') return null;
  const micros = parseInstantMicros(value);
  if (micros !== null) return micros / 1000;
  return /^\d{1,20}(?:\.\d+)?$/.test(value) ? readNumber(Number(value)) : null;
}

function readNumber(number: number): number | null {
  return Number.isFinite(number) && number >= 0 ? scaleToMillis(number) : null;
}

/** Expects a number of at least zero. */
export function scaleToMillis(number: number): number {
  if (number < secondsMax) return Math.round(number * 1e6) / 1000;
  if (number < millisMax) return number;
  return number < microsMax ? number / 1000 : Math.floor(number / 1000) / 1000;
}
