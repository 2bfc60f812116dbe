/** Computes the lines of a chart: one for all matches, or one per value of a field. */
import { logStatistics } from '@tapedeck/log-entries';
import type { LogBuckets, LogFilter, LogMeasure, LogSeries } from '../../ports/logQueries.ts';
import { invalidFieldError, limits } from '../../vocabulary.ts';
import { type BucketsRequest, findBuckets } from './buckets.ts';
import { readField } from './fields.ts';
import type { LogSearchDeps } from './searchFilter.ts';

/** Empty texts count as absent. */
export type SeriesRequest = {
  buckets: BucketsRequest;
  by: string;
  top: number | undefined;
  /** Absent: counts entries. */
  statistic: string | undefined;
  field: string;
};

type DrawnSeries = { buckets: LogBuckets | null; series: readonly LogSeries[] };

/** Returns no buckets if nothing matches and the time range is open. */
export async function drawSeries(
  deps: Pick<LogSearchDeps, 'logQueries'>,
  { filter, asked: request }: { filter: LogFilter; asked: SeriesRequest },
  signal: AbortSignal,
): Promise<DrawnSeries> {
  const measure = readMeasure(request);
  const top = Math.min(request.top ?? limits.logSeriesDefault, limits.logSeriesMax);
  const by = request.by === '' ? null : { field: readField('by', request.by), top };
  const question = { filter, request: request.buckets, countMax: limitBuckets(by === null ? 0 : top) };
  const buckets = await findBuckets(deps, question, signal);
  if (buckets === null) return { buckets, series: by === null ? [{ value: null, points: [] }] : [] };
  return { buckets, series: await deps.logQueries.findSeries(filter, { buckets, by, measure }, signal) };
}

/** Lists the starts of the buckets, in microseconds. */
export function listStarts(buckets: LogBuckets | null): number[] {
  if (buckets === null) return [];
  const { startMicros, intervalMicros, count } = buckets;
  return Array.from({ length: count }, (_, index) => startMicros + index * intervalMicros);
}

/** Limits the response size. Counts one more series for the rest. */
function limitBuckets(top: number): number {
  return Math.min(limits.logBucketsMax, Math.floor(limits.logSeriesPointsMax / (top + 1)));
}

function readMeasure({ statistic: word, field }: SeriesRequest): LogMeasure {
  const statistic = logStatistics.find(known => known === (word ?? 'count'));
  if (statistic === undefined)
    throw invalidFieldError('stat', `stat must be one of ${logStatistics.join(', ')}.`);
  const parsed = field === '' ? null : readField('field', field);
  if (statistic === 'count') return { statistic };
  if (parsed !== null) return { statistic, field: parsed };
  throw invalidFieldError(
    'field',
    `field must name the field whose values stat=${statistic} is computed from.`,
  );
}
