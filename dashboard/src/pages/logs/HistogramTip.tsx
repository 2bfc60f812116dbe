/** The tooltip of a histogram bar: its time span, levels and total. */
import { logLevels } from '@tapedeck/client';
import { formatCount } from '../../format/numbers.ts';
import { formatSpan, type Zone } from '../../format/times.ts';
import { levelLooks } from './levels.ts';

export type Bucket = {
  timestamp: string;
  counts: Readonly<Record<(typeof logLevels)[number], number>>;
};
/** `leftPixels`: the pointer's position in the chart. */
export type Pointed = { index: number; leftPixels: number };

const gapPixels = 14;

type HistogramTipProps = {
  bucket: Bucket;
  intervalMs: number;
  zone: Zone;
  /** True if the tooltip is on the left, which has more room. */
  isLeft: boolean;
  leftPixels: number;
};

export function HistogramTip({ bucket, intervalMs, zone, isLeft, leftPixels }: HistogramTipProps) {
  const levels = logLevels.filter(level => bucket.counts[level] > 0);
  return (
    <div
      aria-hidden="true"
      style={{ left: leftPixels + (isLeft ? -gapPixels : gapPixels) }}
      className={`pointer-events-none absolute top-0 z-10 w-max max-w-72 rounded-lg border border-line bg-panel px-3 py-2 font-mono text-[0.74rem]
        leading-normal tabular-nums shadow-float ${isLeft ? '-translate-x-full' : ''}`}
    >
      <p className="text-muted">{describeBucketSpan(bucket, intervalMs, zone)}</p>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2">
        {levels.map(level => (
          <div key={level} className="col-span-full grid grid-cols-subgrid items-center">
            <span className={`size-2 rounded-full ${levelLooks[level].fill}`} />
            <dt>{level}</dt>
            <dd className="text-right">{formatCount(bucket.counts[level])}</dd>
          </div>
        ))}
        <div className="col-span-full mt-1 grid grid-cols-subgrid border-t border-line pt-1">
          <dt className="col-span-2">Total</dt>
          <dd className="text-right">{formatCount(sumBucket(bucket))}</dd>
        </div>
      </dl>
    </div>
  );
}

export function describeBucketSpan({ timestamp }: Bucket, intervalMs: number, zone: Zone): string {
  const end = new Date(Date.parse(timestamp) + intervalMs).toISOString();
  return formatSpan(timestamp, end, { zone });
}

export function sumBucket({ counts }: Bucket): number {
  return logLevels.reduce((sum, level) => sum + counts[level], 0);
}
