/** Lays the buckets of a histogram out over time. */
import { limits } from '../../../vocabulary.ts';
import type { LogBuckets } from '../../ports/logQueries.ts';

/** Either the length of buckets that are aligned to the epoch, or the number of buckets to divide the queried time into. */
export type BucketRequest = { kind: 'interval'; intervalMicros: number } | { kind: 'count'; count: number };

/** Inclusive, Unix microseconds. */
export type TimeSpan = { fromMicros: number; toMicros: number };

/** null when the interval makes more of them than are counted at a time. */
export function layOutBuckets(request: BucketRequest, span: TimeSpan): LogBuckets | null {
  const { fromMicros, toMicros } = span;
  if (request.kind === 'count') {
    const intervalMicros = Math.max(1, Math.ceil((toMicros - fromMicros + 1) / request.count));
    return { startMicros: fromMicros, intervalMicros, count: request.count };
  }
  const { intervalMicros } = request;
  const startMicros = Math.floor(fromMicros / intervalMicros) * intervalMicros;
  const count = Math.floor((toMicros - startMicros) / intervalMicros) + 1;
  return count <= limits.logBucketsMax ? { startMicros, intervalMicros, count } : null;
}
