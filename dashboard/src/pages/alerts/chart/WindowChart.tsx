/** Draws the last week's windows as bars, the threshold as a line over them, and marks where the rule fires. */

import { type ReactNode, useMemo } from 'react';
import { locale } from '../../../format/locale.ts';
import { countThings, formatShort } from '../../../format/numbers.ts';
import { formatDayTime } from '../../../format/times.ts';
import { type Columns, listHeights } from './columns.ts';

const heightPixels = 180;
const dayMs = 86_400_000;
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });

type WindowChartProps = {
  /** Text for screen readers. */
  label: string;
  columns: Columns;
  /** The count at the upper edge. */
  top: number;
  threshold: number;
  /** True if the rule fires below the threshold. */
  isBelow: boolean;
  /** When the rule fires, in Unix milliseconds. */
  marks: readonly number[];
  /** The threshold line. */
  children: ReactNode;
};

export function WindowChart(props: WindowChartProps) {
  const { label, columns, top, threshold, isBelow, marks, children } = props;
  const { startMs, endMs } = columns;
  const placeOf = (at: number) => ((at - startMs) / (endMs - startMs)) * 100;
  const days = useMemo(() => listMidnights(startMs, endMs), [startMs, endMs]);
  const shown = [...new Set(marks)].filter(at => at >= startMs && at <= endMs);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <div className="relative border-b border-edge" style={{ height: heightPixels }}>
        <Grid top={top} />
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${Math.max(1, columns.counts.length)} 1`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full"
        >
          <path d={drawBars(columns.counts, top, () => true)} className="fill-level-info/55" />
          <path
            d={drawBars(columns.counts, top, count => (isBelow ? count < threshold : count >= threshold))}
            className="fill-danger-fill"
          />
          <path d={drawCuts(columns.counts, top)} className="fill-panel" />
        </svg>
        {children}
      </div>
      <div className="relative h-4" aria-hidden="true">
        {shown.map(at => (
          <span
            key={at}
            title={`Fires ${formatDayTime(at)}`}
            style={{ left: `${placeOf(at)}%` }}
            className="absolute top-0 size-0 -translate-x-1/2 border-x-5 border-b-8 border-x-transparent border-b-danger-fill"
          />
        ))}
      </div>
      <div className="relative h-4 font-mono text-[0.72rem] text-muted" aria-hidden="true">
        {days.map(at => (
          <span key={at} style={{ left: `${placeOf(at)}%` }} className="absolute pl-1 leading-4">
            {weekday.format(at)}
          </span>
        ))}
      </div>
      {columns.most > top && (
        <p className="text-[0.82rem] text-muted">
          Bars cut at the top go up to {countThings(columns.most, 'entry', 'entries')}.
        </p>
      )}
    </div>
  );
}

/** Horizontal lines at round heights. */
function Grid({ top }: { top: number }) {
  return listHeights(top).map(height => (
    <div
      key={height}
      aria-hidden="true"
      style={{ top: `${(1 - height / top) * 100}%` }}
      className="pointer-events-none absolute inset-x-0 border-t border-line font-mono text-[0.72rem] leading-4 text-muted"
    >
      {formatShort(height)}
    </div>
  ));
}

function drawBars(counts: readonly number[], top: number, isDrawn: (count: number) => boolean): string {
  return counts
    .map((count, index) => {
      // Even a single entry stays visible, and so does zero where it matters.
      const height = Math.max(Math.min(count / top, 1), 0.012);
      return isDrawn(count) ? `M${index + 0.08} 1v-${height}h0.84v${height}z` : '';
    })
    .join('');
}

/** A gap near the top shows that a bar is cut off. */
function drawCuts(counts: readonly number[], top: number): string {
  return counts.map((count, index) => (count > top ? `M${index} 0.05h1v0.03h-1z` : '')).join('');
}

function listMidnights(startMs: number, endMs: number): number[] {
  const first = new Date(startMs);
  first.setHours(24, 0, 0, 0);
  const midnights: number[] = [];
  // Skips a midnight near the end, whose label would not fit the chart.
  for (let at = first.getTime(); at < endMs - dayMs / 3; at += dayMs) midnights.push(at);
  return midnights;
}
