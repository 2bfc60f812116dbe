/** Reads `interval` and `buckets` of a histogram, and lays its buckets out over time. */
import { limits, ServiceError } from '../../../vocabulary.ts';
import { readSpanMs } from '../../instants.ts';
import type { LogBuckets } from '../../ports/logQueries.ts';
import { type QueryParameters, readInteger, readSingle } from './filter.ts';

/** Either the length of buckets that are aligned to the epoch, or the number of buckets to divide the queried time into. */
export type BucketRequest = { kind: 'interval'; intervalMicros: number } | { kind: 'count'; count: number };

/** Inclusive, Unix microseconds. */
export type TimeSpan = { fromMicros: number; toMicros: number };

const bucketsDefault = 60; // a bar of some pixels each across a dashboard

export function readBuckets(parameters: QueryParameters): BucketRequest {
  const [interval, count] = [readSingle(parameters, 'interval'), readSingle(parameters, 'buckets')];
  if (interval !== undefined && count !== undefined) {
    throw new ServiceError('invalid_field', 'interval and buckets exclude each other; send one of them.');
  }
  if (interval === undefined) {
    const asked = readInteger('buckets', count, { min: 1, absent: bucketsDefault });
    return { kind: 'count', count: Math.min(asked, limits.logBucketsMax) };
  }
  const intervalMs = readSpanMs(interval) ?? 0;
  if (intervalMs > 0) return { kind: 'interval', intervalMicros: intervalMs * 1000 };
  throw new ServiceError('invalid_field', 'interval must be a span such as 30s, 5m, 1h or 1d.');
}

export function layOutBuckets(request: BucketRequest, span: TimeSpan): LogBuckets {
  const { fromMicros, toMicros } = span;
  if (request.kind === 'count') {
    const intervalMicros = Math.max(1, Math.ceil((toMicros - fromMicros + 1) / request.count));
    return { startMicros: fromMicros, intervalMicros, count: request.count };
  }
  const { intervalMicros } = request;
  const startMicros = Math.floor(fromMicros / intervalMicros) * intervalMicros;
  const count = Math.floor((toMicros - startMicros) / intervalMicros) + 1;
  if (count <= limits.logBucketsMax) return { startMicros, intervalMicros, count };
  throw new ServiceError(
    'invalid_field',
    `interval would make more than ${limits.logBucketsMax} buckets; make it longer, or narrow from and to.`,
  );
}
