/** The chart's legend. A click searches for one value alone, or excludes it. */
import type { ReactNode } from 'react';
import { isolate } from '../../../format/direction.ts';
import { formatMeasure } from '../../../format/numbers.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { findAsked, toggleNot, toggleOnly } from '../queryFilters.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { addsUp, type Statistic } from './choice.ts';
import { type SeriesLine, sumLine } from './lines.ts';

type SeriesLegendProps = {
  lines: readonly SeriesLine[];
  by: string | null;
  stat: Statistic;
  search: LogSearch;
  onChange: ChangeSearch;
  /** The bucket to show numbers for; null for the totals. */
  pointed: number | null;
};

export function SeriesLegend({ lines, by, stat, search, onChange, pointed }: SeriesLegendProps) {
  const { query = '' } = search;
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-1 phone:flex-nowrap phone:overflow-x-auto">
      {lines.map(line => {
        const name = <LineName line={line} number={formatLineValue(line, stat, pointed)} />;
        return (
          <li
            key={line.value === null ? 'rest' : `value ${line.value}`}
            className="group flex max-w-72 shrink-0 items-center rounded-md text-[0.8rem] hover:bg-ink/5"
          >
            {line.value === null || by === null ? (
              <span className="flex min-h-[26px] min-w-0 items-center gap-1.5 px-1.5 text-muted">{name}</span>
            ) : (
              <LineFilter by={by} value={line.value} query={query} onChange={onChange}>
                {name}
              </LineFilter>
            )}
          </li>
        );
      })}
    </ul>
  );
}

type LineFilterProps = {
  by: string;
  value: string;
  query: string;
  onChange: ChangeSearch;
  children: ReactNode;
};

function LineFilter({ by, value, query, onChange, children }: LineFilterProps) {
  const shown = `${isolate(by)} ${isolate(value || 'empty')}`;
  return (
    <>
      <button
        type="button"
        title={`Only ${shown}`}
        aria-pressed={findAsked(query, by, value) === 'only'}
        onClick={() => onChange({ query: toggleOnly(query, by, value) })}
        className="flex min-h-[26px] min-w-0 items-center gap-1.5 rounded-md px-1.5 aria-pressed:font-medium"
      >
        {children}
      </button>
      <button
        type="button"
        aria-label={`Not ${by} ${value || 'empty'}`}
        title={`Not ${shown}`}
        onClick={() => onChange({ query: toggleNot(query, by, value) })}
        className="-ml-1 grid size-6 shrink-0 place-items-center rounded-md text-muted opacity-0 group-hover:opacity-100 hover:text-ink
          focus-visible:opacity-100 pointer-coarse:opacity-100"
      >
        <Icon name="minus" className="size-3" />
      </button>
    </>
  );
}

/** Statistics that do not add up have no total, only a number per bucket. */
function formatLineValue(line: SeriesLine, stat: Statistic, pointed: number | null): string {
  if (pointed === null) return addsUp(stat) ? formatMeasure(sumLine(line)) : '';
  const value = line.values[pointed] ?? null;
  return value === null ? '–' : formatMeasure(value);
}

function LineName({ line, number }: { line: SeriesLine; number: string }) {
  return (
    <>
      <span
        aria-hidden="true"
        style={{ background: `var(${line.variable})` }}
        className="size-2 shrink-0 rounded-full"
      />
      <bdi className="min-w-0 truncate">{line.name}</bdi>{' '}
      <span className="font-mono text-[0.74rem] text-muted tabular-nums empty:hidden">{number}</span>
    </>
  );
}
