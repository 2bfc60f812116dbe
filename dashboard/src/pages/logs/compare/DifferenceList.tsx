/** Lists values that occur more or less often than in the span before, with links to their entries. */
import { useQuery } from '@tanstack/react-query';
import { countThings, formatCount } from '../../../format/numbers.ts';
import { formatSpan } from '../../../format/times.ts';
import { type Comparison, differencesQuery } from '../../../queries/logDifferences.ts';
import { isShownElsewhere } from '../../../queryBox/queryErrors.ts';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { slowSearch } from '../../../ui/SlowNote.tsx';
import { PageSpinner } from '../../../ui/Spinner.tsx';
import { Template } from '../patterns/Template.tsx';
import { toggleOnly } from '../queryFilters.ts';
import { keyOf, type LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useZone } from '../view.ts';
import { BaselineSelect } from './BaselineSelect.tsx';
import { pairSpans } from './comparedSpans.ts';
import { type Difference, describeChange, rankDifferences, weigh } from './differences.ts';

const shownMax = 60;

type DifferenceListProps = {
  project: string;
  search: LogSearch;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
};

export function DifferenceList({ project, search, shownError, onChange }: DifferenceListProps) {
  const { data, error } = useQuery(
    differencesQuery(project, {
      key: `${search.against ?? ''} ${keyOf(search)}`,
      pair: () => pairSpans(search, Date.now()),
    }),
  );
  if (pairSpans(search, Date.now()) === null) {
    return (
      <EmptyState
        title="Nothing to compare with"
        action={<Button onClick={() => onChange({ range: '1h' })}>Compare the last hour</Button>}
      >
        Nothing comes before “All time”. Choose a shorter time range, or drag over the chart.
      </EmptyState>
    );
  }
  if (error && data === undefined)
    return isShownElsewhere(error, shownError) ? null : <Notice look="error">{error.message}</Notice>;
  return (
    <div className="flex flex-col gap-2 lg:h-full lg:min-h-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
        <p role="status" className="mr-auto text-muted">
          {data === undefined ? 'Comparing…' : <Spans search={search} comparison={data} />}
        </p>
        <BaselineSelect search={search} onChange={onChange} />
      </div>
      {data === undefined ? (
        <PageSpinner slow={slowSearch} />
      ) : (
        <Ranked search={search} onChange={onChange} comparison={data} />
      )}
    </div>
  );
}

function Spans({ search, comparison }: Pick<DifferenceListProps, 'search'> & { comparison: Comparison }) {
  const zone = useZone();
  const pair = pairSpans(search, Date.now());
  const write = (span: { from?: string | undefined; to?: string | undefined }) =>
    formatSpan(span.from ?? '', span.to ?? '', { zone });
  if (pair === null) return null;
  const { now, before } = comparison;
  return (
    <>
      {`${write(pair.now)}, compared with ${write(pair.before)}. `}
      <span className="text-ink">{`${countThings(now, 'entry', 'entries')} instead of ${formatCount(before)}.`}</span>
    </>
  );
}

type RankedProps = Pick<DifferenceListProps, 'search' | 'onChange'> & { comparison: Comparison };

function Ranked({ comparison, search, onChange }: RankedProps) {
  const ranked = rankDifferences(comparison.differences, comparison);
  const open = ({ field, value, values }: Difference) =>
    onChange({ query: toggleOnly(search.query ?? '', field, values ?? value), tab: undefined });
  const groups = [
    { title: 'More often', found: ranked.filter(each => weigh(each) > 0) },
    { title: 'Less often', found: ranked.filter(each => weigh(each) < 0) },
  ].filter(({ found }) => found.length > 0);
  if (groups.length === 0)
    return (
      <EmptyState title="No difference">
        {comparison.now + comparison.before === 0
          ? 'No entries match in either time span.'
          : 'The share of every value is about the same in both time spans.'}
      </EmptyState>
    );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 lg:min-h-0 lg:overflow-y-auto">
      {groups.map(({ title, found }) => (
        <section key={title} aria-label={title} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
          <h2 className="text-sm font-medium">
            {title} <span className="font-normal text-muted">{countThings(found.length, 'value')}</span>
          </h2>
          <ul className="rounded-xl border border-line bg-panel shadow-panel">
            {found.slice(0, shownMax).map(each => (
              <Line key={`${each.field} ${each.value}`} difference={each} onOpen={() => open(each)} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Line({ difference, onOpen }: { difference: Difference; onOpen: () => void }) {
  const { field, label, paths = [], now, before } = difference;
  return (
    <li className="border-b border-line/55 last:border-b-0">
      <button
        type="button"
        onClick={onOpen}
        className="grid min-h-11 w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-3.5 py-2 text-left text-[0.82rem] hover:bg-well
          md:grid-cols-[10rem_minmax(0,1fr)_9rem_8rem]"
      >
        <bdi className="truncate text-muted phone:col-span-2">{field}</bdi>{' '}
        <bdi className="line-clamp-2 font-mono text-[0.8rem] wrap-anywhere phone:col-span-2">
          {field === 'pattern' ? (
            <Template found={{ template: label, paths: [...paths] }} />
          ) : (
            label || <span className="text-muted">(empty)</span>
          )}
        </bdi>{' '}
        <span className="font-mono text-[0.78rem] text-muted tabular-nums md:text-right">
          {formatCount(now)}, was {formatCount(before)}
        </span>{' '}
        <span className="text-right font-medium">{describeChange(difference)}</span>
      </button>
    </li>
  );
}
