/** Reads the query string of a URL as it was sent: with repeated keys, and with keys that no schema can name. */
import { parse } from 'node:querystring';
import { parseInstantMicros } from '@tapedeck/json-values';
import { ServiceError } from '../vocabulary.ts';

/** A repeated key has several values. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const hasMoreThanMicros = /\.\d{6}\d*[1-9]/;
const keysMax = 0; // no limit of its own: `headersBytesMax` bounds the URL

export function readParameters(url: string): QueryParameters {
  const question = url.indexOf('?');
  return question < 0 ? {} : parse(url.slice(question + 1), '&', '=', { maxKeys: keysMax });
}

export function readAll(parameters: QueryParameters, name: string): readonly string[] {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** The last one counts. */
export function readSingle(parameters: QueryParameters, name: string): string | undefined {
  return readAll(parameters, name).at(-1);
}

export function readInteger(
  parameters: QueryParameters,
  name: string,
  { min, absent }: { min: number; absent: number },
): number {
  const text = readSingle(parameters, name);
  if (text === undefined) return absent;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min) return Math.min(value, Number.MAX_SAFE_INTEGER);
  throw new ServiceError('invalid_field', `${name} must be a whole number of at least ${min}.`, {
    field: name,
  });
}

/** Unix microseconds; null when absent. An inclusive bound between two microseconds is the next one from below, the last from above. */
export function readInstantMicros(parameters: QueryParameters, name: 'from' | 'to'): number | null {
  const text = readSingle(parameters, name);
  if (text === undefined) return null;
  // A plus sign that was not encoded arrives as a blank.
  const micros = parseInstantMicros(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (micros !== null) return name === 'from' && hasMoreThanMicros.test(text) ? micros + 1 : micros;
  throw new ServiceError(
    'invalid_field',
    `${name} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`,
    { field: name },
  );
}

export function readFlag(parameters: QueryParameters, name: string): boolean {
  const word = readSingle(parameters, name)?.toLowerCase() ?? 'false';
  if (word === 'true' || word === 'false') return word === 'true';
  throw new ServiceError('invalid_field', `${name} must be true or false.`, { field: name });
}
