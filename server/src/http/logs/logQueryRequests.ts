/** Reads log queries from requests: filter, page and buckets. */

import type { Reader } from '@tapedeck/domain/identity/principals';
import { readSpanMs } from '@tapedeck/domain/instants';
import type { BucketsRequest } from '@tapedeck/domain/logs/search/buckets';
import type { BaselineRequest } from '@tapedeck/domain/logs/search/comparison';
import type { PageRequest } from '@tapedeck/domain/logs/search/pages';
import {
  allDatasets,
  composeFilter,
  composePlace,
  type EntriesRequest,
} from '@tapedeck/domain/logs/search/searchFilter';
import type { SeriesRequest } from '@tapedeck/domain/logs/search/series';
import type { LogFilter, LogPlace } from '@tapedeck/domain/ports/logQueries';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyRequest } from 'fastify';
import { readDatasetHeader } from '../connection/requestHeads.ts';
import {
  type QueryParameters,
  readAll,
  readFlag,
  readInstant,
  readInteger,
  readMetadata,
  readSingle,
} from '../queryParameters.ts';

type Question = { filter: LogFilter; parameters: QueryParameters };

/** `datasetDefault` applies if the request names no dataset. */
export function readQuestion(
  { parameters, headers }: FastifyRequest,
  caller: Reader,
  datasetDefault?: string,
): Question {
  const dataset = readDatasetHeader(headers) ?? datasetDefault;
  return { filter: composeFilter(caller, readEntries(parameters, dataset)), parameters };
}

/** The parameter takes precedence over the header, even if it is empty. */
export function readEntries(parameters: QueryParameters, headerDataset: string | undefined): EntriesRequest {
  const text = (name: string) => readSingle(parameters, name) ?? '';
  return {
    dataset: readSingle(parameters, 'dataset') ?? (headerDataset || undefined),
    levels: readAll(parameters, 'level'),
    resource: text('resource'),
    parentId: text('parentId'),
    body: text('body'),
    q: text('q'),
    metadata: readMetadata(parameters),
    query: text('query'),
    from: readInstant(parameters, 'from'),
    to: readInstant(parameters, 'to'),
  };
}

/** Returns where to look for the entry: in the requested dataset, or else in the whole project. */
export function readPlace(request: FastifyRequest, caller: Reader, traceId: string): LogPlace {
  // The route's contract has checked it.
  const { dataset = readDatasetHeader(request.headers) ?? allDatasets } = request.query as {
    dataset?: string;
  };
  return composePlace(caller, dataset, traceId);
}

export function readPage(parameters: QueryParameters): PageRequest {
  const cursor = readSingle(parameters, 'cursor');
  if (cursor !== undefined && readSingle(parameters, 'offset') !== undefined) {
    throw new ServiceError('invalid_field', 'Send either cursor or offset, not both.');
  }
  return {
    limit: readInteger(parameters, 'limit', 1),
    order: readSingle(parameters, 'order'),
    begin: cursor === undefined ? { offset: readInteger(parameters, 'offset', 0) ?? 0 } : { cursor },
    includeTotal: readFlag(parameters, 'includeTotal'),
  };
}

export function readSeries(parameters: QueryParameters): SeriesRequest {
  return {
    buckets: readBuckets(parameters),
    by: readSingle(parameters, 'by') ?? '',
    top: readInteger(parameters, 'top', 1),
    statistic: readSingle(parameters, 'stat'),
    field: readSingle(parameters, 'field') ?? '',
  };
}

export function readComparison(parameters: QueryParameters): BaselineRequest {
  return { from: readInstant(parameters, 'baselineFrom'), to: readInstant(parameters, 'baselineTo') };
}

/** Reads the buckets of a histogram or a series. */
export function readBuckets(parameters: QueryParameters): BucketsRequest {
  const interval = readSingle(parameters, 'interval');
  if (interval === undefined) return { count: readInteger(parameters, 'buckets', 1) };
  if (readSingle(parameters, 'buckets') !== undefined) {
    throw new ServiceError('invalid_field', 'Send either interval or buckets, not both.');
  }
  const intervalMs = readSpanMs(interval) ?? 0;
  if (intervalMs > 0) return { intervalMs };
  throw new ServiceError('invalid_field', 'interval must be a span such as 30s, 5m, 1h or 1d.', {
    field: 'interval',
  });
}
