/** The query parameters of the log routes become typed questions. What is known but unreadable is refused by name. */
import { type LogLevel, limits, logLevels, ServiceError } from '../../../vocabulary.ts';
import { isDatasetName, usualDataset } from '../../datasetNames.ts';
import { readMetadataConditions } from '../../metadataConditions.ts';
import type { LogFilter, LogOrder, LogPage } from '../../ports/logQueries.ts';
import { readTerms } from '../../searchTerms.ts';
import { readTimestampMicros } from '../intake/timestamps.ts';
import type { CursorSeal } from './cursor.ts';

/** As a query string is parsed: a repeated key has several values. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Whose entries are asked for. */
export type QueryTarget = {
  project: string;
  /** Of the dataset header; the query parameter wins over it. */
  headerDataset: string | undefined;
  /** What the token is narrowed to; null: not at all. */
  datasetsAllowed: ReadonlySet<string> | null;
};

const allDatasets = '*'; // CONTRACT.md, 4.2

export function readLogFilter(target: QueryTarget, parameters: QueryParameters): LogFilter {
  const text = (name: string) => readSingle(parameters, name) ?? '';
  return {
    project: target.project,
    datasets: readDatasets(target, parameters),
    levels: readLevels(readAll(parameters, 'level')),
    resource: text('resource') || null,
    parentId: text('parentId') || null,
    bodyTerms: readTerms('body', text('body')),
    textTerms: readTerms('q', text('q')),
    metadata: readMetadataConditions(parameters),
    fromMicros: readInstant('from', readSingle(parameters, 'from')),
    toMicros: readInstant('to', readSingle(parameters, 'to')),
  };
}

export type PageRequest = { page: LogPage; includeTotal: boolean };

export function readLogPage(parameters: QueryParameters, seal: CursorSeal): PageRequest {
  const [cursor, offset] = [readSingle(parameters, 'cursor'), readSingle(parameters, 'offset')];
  if (cursor !== undefined && offset !== undefined) {
    throw new ServiceError('invalid_field', 'cursor and offset exclude each other; send one of them.');
  }
  const limit = readInteger('limit', readSingle(parameters, 'limit'), {
    min: 1,
    absent: limits.pageSizeDefault,
  });
  return {
    page: {
      order: readOrder(readSingle(parameters, 'order')),
      limit: Math.min(limit, limits.pageSizeMax),
      offset: readInteger('offset', offset, { min: 0, absent: 0 }),
      after: cursor === undefined ? null : seal.decode(cursor),
    },
    includeTotal: readFlag('includeTotal', readSingle(parameters, 'includeTotal')),
  };
}

/** null: any of the project. */
export function readDatasets(target: QueryTarget, parameters: QueryParameters): string[] | null {
  const { datasetsAllowed, headerDataset } = target;
  const dataset = readSingle(parameters, 'dataset') ?? (headerDataset || usualDataset);
  if (dataset === allDatasets) return datasetsAllowed === null ? null : [...datasetsAllowed];
  if (!isDatasetName(dataset)) {
    throw new ServiceError(
      'invalid_field',
      'dataset must be 1 to 64 letters, digits, _, . or -, or * for all.',
    );
  }
  if (datasetsAllowed !== null && !datasetsAllowed.has(dataset)) {
    throw new ServiceError('scope_missing', `This token may not read the dataset ${dataset}.`);
  }
  return [dataset];
}

export function readOrder(text: string | undefined): LogOrder {
  const order = text?.toLowerCase() ?? 'desc';
  if (order === 'asc' || order === 'desc') return order;
  throw new ServiceError('invalid_field', 'order must be asc or desc.');
}

export function readSingle(parameters: QueryParameters, name: string): string | undefined {
  return readAll(parameters, name).at(-1);
}

/** Whole numbers; null as `absent` value is for the caller to fill in. */
export function readInteger<T extends number | null>(
  name: string,
  text: string | undefined,
  { min, absent }: { min: number; absent: T },
): number | T {
  if (text === undefined) return absent;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min) return Math.min(value, Number.MAX_SAFE_INTEGER);
  throw new ServiceError('invalid_field', `${name} must be a whole number of at least ${min}.`);
}

/** Unix microseconds; null when absent. */
export function readInstant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  // A plus sign that was not encoded arrives as a blank.
  const micros = readTimestampMicros(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (micros !== null) return micros;
  throw new ServiceError(
    'invalid_field',
    `${name} must be an RFC 3339 instant, such as 2026-01-02T03:04:05Z.`,
  );
}

function readAll(parameters: QueryParameters, name: string): readonly string[] {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function readLevels(lists: readonly string[]): LogLevel[] | null {
  if (lists.length === 0) return null;
  const levels = lists.flatMap(list => list.split(',')).map(word => readLevel(word.trim()));
  return [...new Set(levels)];
}

function readLevel(word: string): LogLevel {
  const level = logLevels.find(known => known === word);
  if (level !== undefined) return level;
  throw new ServiceError('invalid_field', `level takes ${logLevels.join(', ')}, separated by commas.`);
}

function readFlag(name: string, text: string | undefined): boolean {
  const word = text?.toLowerCase() ?? 'false';
  if (word === 'true' || word === 'false') return word === 'true';
  throw new ServiceError('invalid_field', `${name} must be true or false.`);
}
