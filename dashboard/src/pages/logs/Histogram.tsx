/** Charts matches over time by level. Drag over a range to zoom in. */

import { useQuery } from '@tanstack/react-query';
import { logLevels } from '@tapedeck/client';
import { type ReactNode, useMemo, useState } from 'react';
import { countThings, formatCount, formatShort } from '../../format/numbers.ts';
import { formatDay, formatDayTime, type Zone } from '../../format/times.ts';
import { histogramQuery, type LogRequest } from '../../queries/logs.ts';
import { isShownElsewhere } from '../../queryBox/queryErrors.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import { intervalOf } from '../../ui/charts/chartAxes.ts';
import { useLastFailure } from '../../ui/hooks/useLastFailure.ts';
import { Notice } from '../../ui/Notice.tsx';
import { type Bucket, describeBucketSpan, HistogramTip, type Pointed, sumBucket } from './HistogramTip.tsx';
import { levelLooks } from './levels.ts';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';
import { useZone } from './view.ts';
import { narrowQuery, useMediaQuery } from './viewport.ts';

const heightPixels = { wide: 104, narrow: 64 };

type HistogramProps = {
  project: string;
  asking: LogRequest;
  search: LogSearch;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
  /** Goes at the end of the first line. */
  action: ReactNode;
};
type Buckets = readonly Bucket[];
const noBuckets: Buckets = [];
const nothingPointed: Pointed = { index: -1, leftPixels: 0 };

export function Histogram({ project, asking, search, shownError, onChange, action }: HistogramProps) {
  const counts = useQuery(histogramQuery(project, asking, search.live !== undefined));
  const { data, error, isPlaceholderData } = counts;
  const failure = useLastFailure(counts, asking.key);
  const height = useMediaQuery(narrowQuery) ? heightPixels.narrow : heightPixels.wide;
  const zone = useZone();
  const [pointed, setPointed] = useState(nothingPointed);
  const buckets = data ?? noBuckets;
  const { times, series } = useMemo(() => layOut(buckets), [buckets]);
  const total = buckets.reduce((sum, bucket) => sum + sumBucket(bucket), 0);
  const zoom = (fromMs: number, toMs: number) =>
    onChange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), range: undefined });
  const isCounting = data === undefined || isPlaceholderData;
  const waitingWords = failure ? 'No counts' : 'Counting…';
  const bucket = isCounting ? undefined : buckets[pointed.index];
  const intervalMs = intervalOf(times) * 1000;
  if (failure && data === undefined) {
    return isShownElsewhere(failure, shownError) ? null : <Notice look="error">{failure.message}</Notice>;
  }
  return (
    <section
      aria-label="Entries over time"
      aria-busy={isCounting}
      className="relative rounded-xl border border-line bg-panel px-3 pt-2 pb-1 shadow-panel phone:pt-0.5 phone:pb-0"
    >
      <p className="flex min-h-6 items-center gap-x-4 font-mono text-[0.74rem] text-muted tabular-nums">
        <span className="mr-auto">{isCounting ? waitingWords : describeTotal(buckets, total, search)}</span>
        <span role="status" className="sr-only">
          {bucket && describeBucket(bucket, intervalMs, zone)}
        </span>
        {!isCounting && total > 0 && <span className="phone:hidden">Drag to zoom</span>}
        {action}
      </p>
      <div className={`relative transition-opacity ${isCounting || error ? 'opacity-35' : ''}`}>
        {bucket && (
          <HistogramTip
            bucket={bucket}
            intervalMs={intervalMs}
            zone={zone}
            leftPixels={pointed.leftPixels}
            isLeft={pointed.index > buckets.length / 2}
          />
        )}
        <Chart
          label={isCounting ? 'Counting entries.' : describeAll(buckets, total, zone)}
          times={times}
          series={series}
          heightPixels={height}
          formatValue={formatShort}
          onPoint={(index, leftPixels) => setPointed({ index, leftPixels })}
          zone={zone}
          onZoom={zoom}
        />
      </div>
    </section>
  );
}

/** Adds the start date for searches in all time, which nothing else shows. */
function describeTotal(buckets: Buckets, total: number, { range, from, to }: LogSearch): string {
  const [first] = buckets;
  const isAll = range === 'all' && from === undefined && to === undefined && first !== undefined;
  return `${countThings(total, 'entry', 'entries')}${isAll ? ` since ${formatDay(first.timestamp)}` : ''}`;
}

function layOut(buckets: Buckets) {
  return {
    times: buckets.map(({ timestamp }) => Date.parse(timestamp) / 1000),
    series: logLevels.map(level => ({
      name: level,
      variable: levelLooks[level].variable,
      values: buckets.map(({ counts }) => counts[level]),
    })),
  };
}

function describeBucket(bucket: Bucket, intervalMs: number, zone: Zone): string {
  const counts = logLevels
    .filter(level => bucket.counts[level] > 0)
    .map(level => `${formatCount(bucket.counts[level])} ${level}`);
  return `${describeBucketSpan(bucket, intervalMs, zone)}: ${counts.join(', ') || 'nothing'}`;
}

function describeAll(buckets: Buckets, total: number, zone: Zone): string {
  const [first] = buckets;
  if (first === undefined || total === 0) return 'No entries match.';
  const counts = logLevels.map(
    level => `${formatCount(buckets.reduce((sum, { counts }) => sum + counts[level], 0))} ${level}`,
  );
  return `${countThings(total, 'entry', 'entries')} since ${formatDayTime(first.timestamp, { zone })}: ${counts.join(', ')}.`;
}
