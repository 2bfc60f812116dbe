/** Charts one figure of a project by day, with its total and links to what it counts. */
import { Link, type LinkProps } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { formatDay as formatDate } from '../../format/times.ts';
import type { Usage } from '../../queries/usage.ts';
import { Chart } from '../../ui/charts/Chart.tsx';

const heightPixels = 118;
const dayMs = 86_400_000;

type Day = Usage['days'][number];

type DayChartProps = {
  title: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
  /** null while unknown. */
  total: string | null;
  note: string | null;
  days: readonly Day[];
  variable: string;
  amountOf: (day: Day) => number;
  formatDay: (day: Day) => string;
  formatValue: (value: number) => string;
  /** Called for a clicked day or a dragged range, in Unix milliseconds. */
  onSpan?: (fromMs: number, toMs: number) => void;
};

export function DayChart({ title, link, total, note, days, onSpan, ...rest }: DayChartProps) {
  const { variable, amountOf, formatDay, formatValue } = rest;
  const [pointed, setPointed] = useState(-1);
  const times = useMemo(() => days.map(({ day }) => Date.parse(day) / 1000), [days]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is taken of a day never changes
  const series = useMemo(() => [{ name: title, variable, values: days.map(amountOf) }], [days]);
  const day = days[pointed];
  const sum = formatValue(days.reduce((before, each) => before + amountOf(each), 0));
  const openDay = () => {
    const fromMs = Date.parse(day?.day ?? '');
    if (!Number.isNaN(fromMs)) onSpan?.(fromMs, fromMs + dayMs - 1);
  };
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] content-start gap-1 rounded-xl border border-line bg-panel px-4 pt-3 pb-2 shadow-panel">
      <figcaption className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
        <Link
          {...link}
          className="engraved justify-self-start leading-[24px] underline decoration-edge underline-offset-3 hover:text-ink hover:decoration-ink"
        >
          {title}
        </Link>
        <span className="truncate">
          <span className="text-xl font-semibold tracking-tight tabular-nums">{total ?? '…'}</span>{' '}
          <span className="text-sm text-muted">{note}</span>
        </span>
        <span className="min-h-5 truncate text-sm text-muted">
          {day && `${nameDay(day)}: ${formatDay(day)}`}
          {!day && total !== null && `${sum} in the last ${days.length} days`}
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the link above leads there as well */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div onClick={onSpan && openDay} className={onSpan && '[&_.u-over]:cursor-pointer'}>
        <Chart
          label={`${title} of the last ${days.length} days: ${describeDays(days, amountOf, formatValue)}`}
          times={times}
          series={series}
          heightPixels={heightPixels}
          formatValue={formatValue}
          onPoint={setPointed}
          {...(onSpan && { onZoom: onSpan })}
          isDaily
        />
      </div>
    </figure>
  );
}

/** Days are UTC days. */
function nameDay({ day }: Day): string {
  return formatDate(day, 'utc');
}

function describeDays(
  days: readonly Day[],
  amountOf: DayChartProps['amountOf'],
  formatValue: (value: number) => string,
): string {
  const filled = days.filter(day => amountOf(day) > 0);
  if (filled.length === 0) return 'none';
  return filled.map(day => `${nameDay(day)}: ${formatValue(amountOf(day))}`).join('; ');
}
