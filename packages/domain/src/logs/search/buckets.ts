/** Divides a time range into buckets for histograms and charts. */

import type { LogBuckets, LogFilter } from '../../ports/logQueries.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import type { LogSearchDeps } from './searchFilter.ts';

/** The buckets' length, aligned to the epoch, or their number; neither: the default number. */
export type BucketsRequest = { intervalMs: number } | { count: number | undefined };

/** Inclusive, Unix microseconds. */
type TimeSpan = { fromMicros: number; toMicros: number };

const bucketsDefault = 60; // bars a few pixels wide across a dashboard
const openSpanMicrosMin = 60_000_000; // the default number of buckets then has one second each

/** null: nothing matches, so there is no time range to divide. */
export async function findBuckets(
  deps: Pick<LogSearchDeps, 'logQueries'>,
  { filter, request, countMax }: { filter: LogFilter; request: BucketsRequest; countMax?: number },
  signal: AbortSignal,
): Promise<LogBuckets | null> {
  const span = await findSpan(deps, filter, signal);
  if (span === null) return null;
  return layOutBuckets(request, 'intervalMs' in request ? span : widenSpan(span, filter), countMax);
}

/** For open filters, uses the time of the first or last match. null: no match. */
async function findSpan(
  { logQueries }: Pick<LogSearchDeps, 'logQueries'>,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<TimeSpan | null> {
  const { fromMicros, toMicros } = filter;
  if (fromMicros !== null && toMicros !== null)
    return fromMicros <= toMicros ? { fromMicros, toMicros } : null;
  const found = await logQueries.findTimeRange(filter, signal);
  return found && { fromMicros: fromMicros ?? found.fromMicros, toMicros: toMicros ?? found.toMicros };
}

/** For open filters, keeps a single moment from being divided into microseconds, as in young projects. */
function widenSpan({ fromMicros, toMicros }: TimeSpan, filter: LogFilter): TimeSpan {
  if (filter.fromMicros === null)
    return { fromMicros: Math.min(fromMicros, toMicros - openSpanMicrosMin + 1), toMicros };
  if (filter.toMicros === null)
    return { fromMicros, toMicros: Math.max(toMicros, fromMicros + openSpanMicrosMin - 1) };
  return { fromMicros, toMicros };
}

/** Throws if the interval makes more than `countMax` buckets. */
export function layOutBuckets(
  request: BucketsRequest,
  { fromMicros, toMicros }: TimeSpan,
  countMax: number = limits.logBucketsMax,
): LogBuckets {
  if (!('intervalMs' in request)) {
    const count = Math.min(request.count ?? bucketsDefault, countMax);
    const intervalMicros = Math.max(1, Math.ceil(measure({ fromMicros, toMicros }) / count));
    return { startMicros: fromMicros, intervalMicros, count };
  }
  const intervalMicros = request.intervalMs * 1000;
  const startMicros = Math.floor(fromMicros / intervalMicros) * intervalMicros;
  const count = Math.floor((toMicros - startMicros) / intervalMicros) + 1;
  if (count <= countMax) return { startMicros, intervalMicros, count };
  throw new ServiceError(
    'invalid_field',
    `interval would make more than ${countMax} buckets; make it longer, or narrow from and to.`,
    { field: 'interval' },
  );
}

const unsafeShare = 2 ** -50; // a few units in a number's last place

/** Measures a time span. Beyond safe integers, adds a little, so that the last entry stays within the span. */
function measure({ fromMicros, toMicros }: TimeSpan): number {
  const length = toMicros - fromMicros + 1;
  return Number.isSafeInteger(length) && Number.isSafeInteger(fromMicros)
    ? length
    : length * (1 + unsafeShare);
}
