/** Counts matching entries over time and by the values of a field. */

import type { LogBucket, LogField, LogFilter, ValueCount } from '../../ports/logQueries.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import { type BucketsRequest, findBuckets } from './buckets.ts';
import type { LogSearchDeps } from './searchFilter.ts';

type CountDeps = Pick<LogSearchDeps, 'logQueries'>;

/** Returns no buckets if nothing matches and the time range is open. */
export async function countByTime(
  deps: CountDeps,
  question: { filter: LogFilter; request: BucketsRequest },
  signal: AbortSignal,
): Promise<readonly LogBucket[]> {
  const buckets = await findBuckets(deps, question, signal);
  return buckets === null ? [] : deps.logQueries.countByTime(question.filter, buckets, signal);
}

export async function countFacet(
  { logQueries }: CountDeps,
  { filter, field }: { filter: LogFilter; field: string },
  signal: AbortSignal,
): Promise<readonly ValueCount[]> {
  const question = { field: readFacetField(field), prefix: '', limit: limits.logFacetValuesMax };
  return logQueries.countValues(filter, question, signal);
}

const metadataPrefix = 'metadata.';

/** Parses the field whose values to count. */
export function readFacetField(text: string): LogField {
  if (text === 'level' || text === 'resource') return { kind: text };
  if (text.startsWith(metadataPrefix)) return { kind: 'metadata', path: text.slice(metadataPrefix.length) };
  throw new ServiceError('invalid_field', 'field must be level, resource, or metadata. and a path.', {
    field: 'field',
  });
}
