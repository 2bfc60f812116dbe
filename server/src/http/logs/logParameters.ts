/** The query parameters of the log routes become typed questions. What is known but unreadable is refused by name. */
import { isDatasetName, usualDataset } from '../../domain/datasetNames.ts';
import { readSpanMs } from '../../domain/instants.ts';
import { type BucketRequest, layOutBuckets, type TimeSpan } from '../../domain/logs/query/buckets.ts';
import type { CursorSeal } from '../../domain/logs/query/cursor.ts';
import type { LogBuckets, LogField, LogFilter, LogOrder, LogPage } from '../../domain/ports/logQueries.ts';
import type { Reader } from '../../domain/principals.ts';
import { chooseDatasets } from '../../domain/scopes.ts';
import { readTerms } from '../../domain/searchTerms.ts';
import { type LogLevel, limits, logLevels, ServiceError } from '../../vocabulary.ts';
import { readMetadataConditions } from '../metadataConditions.ts';
import {
  type QueryParameters,
  readAll,
  readFlag,
  readInstantMicros,
  readInteger,
  readSingle,
} from '../queryParameters.ts';

/** Whose entries are asked for. */
export type QueryTarget = {
  project: string;
  /** The query parameter wins over it. */
  headerDataset: string | undefined;
  scopes: Pick<Reader['scopes'], 'datasets'>;
};

const allDatasets = '*'; // CONTRACT.md, 4.2
const bucketsDefault = 60; // a bar of some pixels each across a dashboard

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
    fromMicros: readInstantMicros(parameters, 'from'),
    toMicros: readInstantMicros(parameters, 'to'),
  };
}

export type PageRequest = { page: LogPage; includeTotal: boolean };

export function readLogPage(parameters: QueryParameters, seal: CursorSeal): PageRequest {
  const cursor = readSingle(parameters, 'cursor');
  if (cursor !== undefined && readSingle(parameters, 'offset') !== undefined) {
    throw new ServiceError('invalid_field', 'cursor and offset exclude each other; send one of them.');
  }
  const limit = readInteger(parameters, 'limit', { min: 1, absent: limits.pageSizeDefault });
  return {
    page: {
      order: readOrder(readSingle(parameters, 'order')),
      limit: Math.min(limit, limits.pageSizeMax),
      offset: readInteger(parameters, 'offset', { min: 0, absent: 0 }),
      after: cursor === undefined ? null : readCursor(cursor, seal),
    },
    includeTotal: readFlag(parameters, 'includeTotal'),
  };
}

/** null: any of the project. */
export function readDatasets(target: QueryTarget, parameters: QueryParameters): string[] | null {
  const dataset = readSingle(parameters, 'dataset') ?? (target.headerDataset || usualDataset);
  if (dataset === allDatasets) return chooseDatasets(target.scopes, null);
  if (isDatasetName(dataset)) return chooseDatasets(target.scopes, dataset);
  throw new ServiceError(
    'invalid_field',
    'dataset must be 1 to 64 letters, digits, _, . or -, or * for all.',
    { field: 'dataset' },
  );
}

export function readOrder(text: string | undefined): LogOrder {
  const order = text?.toLowerCase() ?? 'desc';
  if (order === 'asc' || order === 'desc') return order;
  throw new ServiceError('invalid_field', 'order must be asc or desc.', { field: 'order' });
}

/** Of a histogram. */
export function readBuckets(parameters: QueryParameters): BucketRequest {
  const interval = readSingle(parameters, 'interval');
  if (interval === undefined) {
    const asked = readInteger(parameters, 'buckets', { min: 1, absent: bucketsDefault });
    return { kind: 'count', count: Math.min(asked, limits.logBucketsMax) };
  }
  if (readSingle(parameters, 'buckets') !== undefined) {
    throw new ServiceError('invalid_field', 'interval and buckets exclude each other; send one of them.');
  }
  const intervalMs = readSpanMs(interval) ?? 0;
  if (intervalMs > 0) return { kind: 'interval', intervalMicros: intervalMs * 1000 };
  throw new ServiceError('invalid_field', 'interval must be a span such as 30s, 5m, 1h or 1d.', {
    field: 'interval',
  });
}

export function requireBuckets(request: BucketRequest, span: TimeSpan): LogBuckets {
  const buckets = layOutBuckets(request, span);
  if (buckets !== null) return buckets;
  throw new ServiceError(
    'invalid_field',
    `interval would make more than ${limits.logBucketsMax} buckets; make it longer, or narrow from and to.`,
    { field: 'interval' },
  );
}

/** The field whose values are to be counted. */
export function readField(text: string | undefined): LogField {
  if (text === 'level' || text === 'resource') return { kind: text };
  if (text?.startsWith('metadata.')) return { kind: 'metadata', path: text.slice('metadata.'.length) };
  throw new ServiceError('invalid_field', 'field must be level, resource, or metadata. and a path.', {
    field: 'field',
  });
}

function readCursor(cursor: string, seal: CursorSeal): string {
  const traceId = seal.decode(cursor);
  if (traceId !== null) return traceId;
  throw new ServiceError('cursor_invalid', 'cursor is none that this service gave out; start without it.', {
    field: 'cursor',
  });
}

function readLevels(lists: readonly string[]): LogLevel[] | null {
  if (lists.length === 0) return null;
  const levels = lists.flatMap(list => list.split(',')).map(word => readLevel(word.trim()));
  return [...new Set(levels)];
}

function readLevel(word: string): LogLevel {
  const level = logLevels.find(known => known === word);
  if (level !== undefined) return level;
  throw new ServiceError('invalid_field', `level takes ${logLevels.join(', ')}, separated by commas.`, {
    field: 'level',
  });
}
