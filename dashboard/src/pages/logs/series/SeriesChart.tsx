/** The chart that users choose above the results: entries, or a statistic of a field, grouped by another field. */

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { formatMeasure } from '../../../format/numbers.ts';
import { formatDayTime, type Zone } from '../../../format/times.ts';
import { type DrawnSeries, seriesQuery } from '../../../queries/logSeries.ts';
import type { LogRequest } from '../../../queries/logs.ts';
import { isShownElsewhere } from '../../../queryBox/queryErrors.ts';
import { Button } from '../../../ui/Button.tsx';
import { Chart } from '../../../ui/charts/Chart.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { useFields } from '../fields.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useZone } from '../view.ts';
import { narrowQuery, useMediaQuery } from '../viewport.ts';
import { PinChartButton } from '../views/PinChartButton.tsx';
import { addsUp, completeChoice, describeChoice, needsField, noChoice, type SeriesChoice } from './choice.ts';
import { nameLines, type SeriesLine } from './lines.ts';
import { SeriesControls } from './SeriesControls.tsx';
import { SeriesLegend } from './SeriesLegend.tsx';
import { SeriesTable } from './SeriesTable.tsx';

const heightPixels = { wide: 150, narrow: 96 };
const nothingDrawn: DrawnSeries = { timestamps: [], series: [] };

type SeriesChartProps = {
  project: string;
  asking: LogRequest;
  search: LogSearch;
  choice: SeriesChoice;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
  /** True if users cannot change it. */
  isPinned: boolean;
};

export function SeriesChart({ project, asking, search, choice: asked, ...rest }: SeriesChartProps) {
  const { shownError, onChange, isPinned } = rest;
  const fields = useDrawableFields(project, search);
  const choice = completeChoice(asked, fields);
  const { stat, by } = choice;
  const { data, error, isPlaceholderData, isEnabled } = useSeries({ project, asking, search, choice });
  const zone = useZone();
  const [pointed, setPointed] = useState(-1);
  const height = useMediaQuery(narrowQuery) ? heightPixels.narrow : heightPixels.wide;
  const drawn = data ?? nothingDrawn;
  const lines = useMemo(() => nameLines(drawn, by), [drawn, by]);
  const times = useMemo(() => drawn.timestamps.map(at => Date.parse(at) / 1000), [drawn]);
  const isCounting = isEnabled && (data === undefined || isPlaceholderData);
  const name = describeChoice(choice);
  const at = drawn.timestamps[pointed];
  const zoom = (fromMs: number, toMs: number) =>
    onChange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), range: undefined });
  return (
    <section
      aria-label={name}
      aria-busy={isCounting}
      className="grid grid-cols-[minmax(0,1fr)] gap-1.5 rounded-xl border border-line bg-panel px-3 py-2 shadow-panel"
    >
      <div className="flex items-start gap-3">
        {isPinned ? (
          <span className="min-w-0 truncate text-sm leading-8 text-muted">{name}</span>
        ) : (
          <SeriesControls fields={fields} choice={choice} onChange={onChange} />
        )}
        <PointedTime>{describePlace(at, isEnabled, zone)}</PointedTime>
        {!isPinned && <PinChartButton project={project} search={search} chart={choice} onChange={onChange} />}
        {!isPinned && <BackButton onClick={() => onChange(noChoice)} />}
      </div>
      {error && !isShownElsewhere(error, shownError) && <Notice look="error">{error.message}</Notice>}
      <div className={`transition-opacity ${isCounting || error ? 'opacity-35' : ''}`}>
        <Chart
          label={isCounting ? 'Loading the chart.' : describeDrawn(name, lines, drawn)}
          times={times}
          series={lines}
          heightPixels={height}
          formatValue={formatMeasure}
          isLines={!addsUp(stat)}
          onPoint={setPointed}
          zone={zone}
          onZoom={zoom}
        />
      </div>
      <SeriesLegend
        lines={lines}
        by={by}
        stat={stat}
        search={search}
        onChange={onChange}
        pointed={at === undefined ? null : pointed}
      />
      {!isCounting && <SeriesTable caption={name} timestamps={drawn.timestamps} lines={lines} />}
    </section>
  );
}

function PointedTime({ children }: { children: string }) {
  return (
    <span
      role="status"
      className="ml-auto shrink-0 font-mono text-[0.74rem] leading-8 text-muted tabular-nums phone:hidden"
    >
      {children}
    </span>
  );
}

function BackButton({ onClick }: { onClick: () => void }) {
  return (
    <Button
      look="quiet"
      size="icon"
      className="-mr-1 shrink-0"
      aria-label="Back to levels over time"
      title="Back to levels over time"
      onClick={onClick}
    >
      <Icon name="cross" />
    </Button>
  );
}

/** Returns the fields in the searched time, whatever the query, so that a chart stays while the user narrows the search. */
function useDrawableFields(project: string, search: LogSearch) {
  return useFields(project, { ...search, query: undefined }).fields;
}

type Asked = Pick<SeriesChartProps, 'project' | 'asking' | 'search' | 'choice'>;

/** Waits until the statistic has a field. */
function useSeries({ project, asking, search, choice: { stat, of, by, top } }: Asked) {
  const field = needsField(stat) ? of : null;
  const drawn = { stat, top, ...(field !== null && { field }), ...(by !== null && { by }) };
  const isFollowed = search.live !== undefined;
  const isEnabled = field !== null || !needsField(stat);
  const question = seriesQuery(project, { ...asking, drawn, isFollowed });
  return { ...useQuery({ ...question, enabled: isEnabled }), isEnabled };
}

function describePlace(at: string | undefined, isAsked: boolean, zone: Zone): string {
  if (!isAsked) return 'Choose a numeric field';
  return at === undefined ? 'Drag to zoom' : formatDayTime(at, { zone });
}

function describeDrawn(name: string, lines: readonly SeriesLine[], { timestamps }: DrawnSeries): string {
  const [first] = timestamps;
  if (first === undefined) return `${name}: no data.`;
  const names = lines.map(line => line.name).join(', ');
  return `${name} since ${formatDayTime(first)}: ${names}. See the table below for the numbers.`;
}
