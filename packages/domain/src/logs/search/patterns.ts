/** Lists the patterns of matching entries. */

import type { FoundPatterns, LogBuckets, LogFilter } from '../../ports/logQueries.ts';
import { limits } from '../../vocabulary.ts';
import { type BucketsRequest, findBuckets } from './buckets.ts';
import type { LogSearchDeps } from './searchFilter.ts';

type PatternsRequest = { buckets: BucketsRequest; isNew: boolean };

const bucketsMax = Math.floor(limits.logSeriesPointsMax / limits.logPatternsMax); // keeps the response small

/** Returns no buckets if nothing matches and the time range is open. */
export async function findPatterns(
  { logQueries }: Pick<LogSearchDeps, 'logQueries'>,
  { filter, asked: request }: { filter: LogFilter; asked: PatternsRequest },
  signal: AbortSignal,
): Promise<FoundPatterns & { buckets: LogBuckets | null }> {
  const question = { filter, request: request.buckets, countMax: bucketsMax };
  const buckets = await findBuckets({ logQueries }, question, signal);
  if (buckets === null) return { buckets, total: 0, patterns: [] };
  const { isNew } = request;
  const found = await logQueries.findPatterns(
    filter,
    { buckets, isNew, limit: limits.logPatternsMax },
    signal,
  );
  return { ...found, buckets };
}
