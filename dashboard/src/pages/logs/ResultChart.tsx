/** The chart above the results: the histogram by level, or the user's choice. */

import type { LogRequest } from '../../queries/logs.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Histogram } from './Histogram.tsx';
import type { LogSearch } from './search.ts';
import { readChoice, writeChoice } from './series/choice.ts';
import { SeriesChart } from './series/SeriesChart.tsx';
import type { ChangeSearch } from './useLogSearch.ts';

type ResultChartProps = {
  project: string;
  asking: LogRequest;
  search: LogSearch;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
  /** True outside the Logs page, where users cannot change the chart. */
  isPinned?: boolean;
};

export function ResultChart({ isPinned = false, ...props }: ResultChartProps) {
  const { search, onChange } = props;
  const choice = readChoice(search);
  if (choice !== null) return <SeriesChart {...props} choice={choice} isPinned={isPinned} />;
  if (isPinned) return <Histogram {...props} action={null} />;
  const draw = () => onChange(writeChoice({ stat: 'count', of: null, by: 'resource', top: 5 }));
  const action = (
    <button
      type="button"
      title="Count by any field, or plot its numbers"
      onClick={draw}
      className="-mr-1 inline-flex min-h-6 phone:absolute phone:top-0 phone:right-2 phone:z-1 items-center gap-1.5 rounded-md px-1.5 font-sans text-[0.8rem] hover:bg-ink/6 hover:text-ink"
    >
      <Icon name="pulse" className="size-3.5" />
      Chart
    </button>
  );
  return <Histogram {...props} action={action} />;
}
