/** Reads the parameters of the query string, including repeated keys and keys that no schema can name. */
import type { MetadataCondition } from '@tapedeck/domain/searchTerms';
import { invalidFieldError, limits } from '@tapedeck/domain/vocabulary';

/** A repeated key has several values. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const metadataPrefix = 'metadata.';

export function readAll(parameters: QueryParameters, name: string): readonly string[] {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** The last value counts. */
export function readSingle(parameters: QueryParameters, name: string): string | undefined {
  return readAll(parameters, name).at(-1);
}

/** Reads conditions from the keys `metadata.<path>`, for files and for log entries. A repeated key adds a condition. */
export function readMetadata(parameters: QueryParameters): MetadataCondition[] {
  return Object.keys(parameters)
    .filter(name => name.startsWith(metadataPrefix))
    .flatMap(name =>
      readAll(parameters, name).map(value => ({ path: name.slice(metadataPrefix.length), value })),
    );
}

export function readInteger(parameters: QueryParameters, name: string, min: number): number | undefined {
  const text = readSingle(parameters, name);
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min) return Math.min(value, Number.MAX_SAFE_INTEGER);
  throw invalidFieldError(name, `${name} must be a whole number of at least ${min}.`);
}

/** Restores an unencoded plus sign, which arrives as a blank. */
export function readInstant(parameters: QueryParameters, name: string): string | undefined {
  return readSingle(parameters, name)?.replace(/ (\d\d:\d\d)$/, '+$1');
}

export function readFlag(parameters: QueryParameters, name: string): boolean {
  const word = readSingle(parameters, name)?.toLowerCase() ?? 'false';
  if (word === 'true' || word === 'false') return word === 'true';
  throw invalidFieldError(name, `${name} must be true or false.`);
}

/** For lists. The contract has checked that `limit` is a whole number. */
export function readPageSize({ limit }: { limit?: number }): number {
  return Math.min(limit ?? limits.pageSizeDefault, limits.pageSizeMax);
}
