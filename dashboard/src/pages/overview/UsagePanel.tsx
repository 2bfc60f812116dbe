/** What the project takes up, in all and day by day. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Notice } from '../../parts/Notice.tsx';
import { Reels } from '../../parts/Reels.tsx';
import { type Usage, usageQuery } from '../../queries/usage.ts';
import { countThings, formatCount, formatShort } from '../../text/numbers.ts';
import { formatBytes } from '../../text/sizes.ts';
import { Chart } from '../../widgets/Chart.tsx';

const heightPixels = 118;

export function UsagePanel({ project }: { project: string }) {
  const { data, error } = useQuery(usageQuery(project));
  return (
    <section className="grid gap-4" aria-label="Usage">
      <h2 className="text-lg font-semibold tracking-tight">Usage</h2>
      {error && <Notice look="error">{error.message}</Notice>}
      {!data && !error && <Reels />}
      {data && <UsageCharts usage={data} />}
    </section>
  );
}

type Day = Usage['days'][number];

function UsageCharts({ usage: { totals, days } }: { usage: Usage }) {
  return (
    <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      <DayChart
        title="Log entries"
        total={formatCount(totals.entries)}
        note={`${formatBytes(totals.logBytes)} on disk`}
        days={days}
        variable="--level-info"
        amountOf={day => day.entries}
        formatDay={day => `${countThings(day.entries, 'entry', 'entries')}${describeDatasets(day)}`}
        formatValue={formatShort}
      />
      <DayChart
        title="Files"
        total={formatCount(totals.files)}
        note="by the day of their upload"
        days={days}
        variable="--accent"
        amountOf={day => day.files}
        formatDay={day => countThings(day.files, 'file')}
        formatValue={formatShort}
      />
      <DayChart
        title="Bytes of files"
        total={formatBytes(totals.bytes)}
        note="by the day of their upload"
        days={days}
        variable="--good"
        amountOf={day => day.bytes}
        formatDay={day => formatBytes(day.bytes)}
        formatValue={formatBytes}
      />
    </div>
  );
}

type DayChartProps = {
  title: string;
  total: string;
  note: string;
  days: readonly Day[];
  variable: string;
  amountOf: (day: Day) => number;
  formatDay: (day: Day) => string;
  formatValue: (value: number) => string;
};

function DayChart({ title, total, note, days, variable, amountOf, formatDay, formatValue }: DayChartProps) {
  const [pointed, setPointed] = useState(-1);
  const times = useMemo(() => days.map(({ day }) => Date.parse(day) / 1000), [days]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is taken of a day never changes
  const series = useMemo(() => [{ name: title, variable, values: days.map(amountOf) }], [days]);
  const day = days[pointed];
  return (
    <figure className="grid content-start gap-1 rounded-xl border border-line bg-panel px-4 pt-3.5 pb-2 shadow-panel">
      <figcaption className="grid gap-0.5">
        <span className="engraved">{title}</span>
        <span className="text-xl font-semibold tracking-tight tabular-nums">{total}</span>
        <span className="min-h-5 truncate text-sm text-muted">
          {day ? `${day.day}: ${formatDay(day)}` : note}
        </span>
      </figcaption>
      <Chart
        label={`${title} of the last ${days.length} days: ${describeDays(days, amountOf, formatValue)}`}
        times={times}
        series={series}
        heightPixels={heightPixels}
        formatValue={formatValue}
        onPoint={setPointed}
        isDaily
      />
    </figure>
  );
}

function describeDatasets({ datasets }: Day): string {
  const counts = Object.entries(datasets);
  if (counts.length < 2) return '';
  const most = counts.sort(([, one], [, other]) => other - one).slice(0, 3);
  return ` (${most.map(([name, count]) => `${name} ${formatShort(count)}`).join(', ')})`;
}

function describeDays(
  days: readonly Day[],
  amountOf: DayChartProps['amountOf'],
  formatValue: (value: number) => string,
): string {
  const filled = days.filter(day => amountOf(day) > 0);
  if (filled.length === 0) return 'none';
  return filled.map(day => `${day.day} ${formatValue(amountOf(day))}`).join(', ');
}
