/** Reads times as loggers write them and returns the format of V3. */

import { formatMicros, type TimeRange } from '@tapedeck/log-entries';
import { parseInstantMicros } from '@tapedeck/values/json';

const millisecondsFrom = 100_000_000_000; // as seconds, this is the year 5138; larger numbers are milliseconds
const offsetWithoutColon = /([+-]\d\d)(\d\d)$/;
const commaBeforeFraction = /(:\d\d),(\d)/;
const decimal = /^\d{9,13}(?:\.\d+)?$/;

/** Reads RFC 3339, or Unix time in seconds or milliseconds. Returns null for other values and for times that cannot be stored. */
export function readLoggedTime(value: unknown, { fromMicros, toMicros }: TimeRange): string | null {
  const micros = readMicros(value);
  return micros !== null && micros >= fromMicros && micros <= toMicros ? formatMicros(micros) : null;
}

function readMicros(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? scaleMicros(value) : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (decimal.test(text)) return scaleMicros(Number(text));
  return parseInstantMicros(text.replace(commaBeforeFraction, '$1.$2').replace(offsetWithoutColon, '$1:$2'));
}

function scaleMicros(time: number): number {
  return Math.round(time * (time < millisecondsFrom ? 1_000_000 : 1000));
}
