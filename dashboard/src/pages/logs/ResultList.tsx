/** Lists a search's results, also while it runs. */
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { formatDayTime } from '../../format/times.ts';
import { Button } from '../../ui/Button.tsx';
import { SlowNote, slowSearch } from '../../ui/SlowNote.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import { EntryList } from './list/EntryList.tsx';
import type { Results } from './results.ts';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';
import { useView } from './view.ts';

const nothingListed: Pick<Results, 'rows'> & { place: Results['sought'] } = { rows: [], place: null };

type ResultListProps = {
  project: string;
  results: Results;
  /** Search terms to highlight. */
  terms: readonly string[];
  search: LogSearch;
  onChange: ChangeSearch;
  /** Shown if there are no entries. */
  nothing: ReactNode;
  openEntry: string | null;
  onOpen: (traceId: string | null) => void;
};

export function ResultList(props: ResultListProps) {
  const { results, search, nothing, ...rest } = props;
  const view = useView(search);
  const { pages, sought, tail, searchError } = results;
  const place = pages.isPlaceholderData ? null : sought;
  const listed = useMemo(() => ({ rows: results.rows, place }), [results.rows, place]);
  // Input may interrupt the rendering of new results. Live entries would interrupt each other, so their list would lag behind.
  const deferred = useDeferredValue(listed, nothingListed);
  const { rows, place: shownPlace } = search.live === undefined ? deferred : listed;
  if (rows.length === 0) {
    if (searchError !== null) return null; // shown above
    if (results.rows.length === 0 && !pages.isPending && !pages.isPlaceholderData) return nothing;
    return <PageSpinner slow={slowSearch} />;
  }
  const isStale = pages.isPlaceholderData && tail.entries.length === 0;
  // A hidden tab's queries are stopped. Scrolling asks again.
  const mayAsk = !pages.isFetching && !pages.error && !document.hidden;
  return (
    <div
      aria-busy={isStale}
      className={`flex flex-col gap-2 transition-opacity lg:h-full ${isStale ? 'outdated' : ''}`}
    >
      {isStale && <SlowNote words={slowSearch} />}
      {sought && pages.hasPreviousPage && (
        <p className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
          Around {formatDayTime(sought.at, { zone: view.zone })}
          <Button size="small" onClick={results.showFirst}>
            {view.order === 'asc' ? 'Jump to oldest' : 'Jump to newest'}
          </Button>
        </p>
      )}
      <EntryList
        rows={rows}
        search={search}
        view={view}
        {...rest}
        answers={pages.data?.pages.length ?? 0}
        onLoadGap={results.loadMissing}
        sought={shownPlace}
        onBelow={mayAsk && pages.hasNextPage ? () => void pages.fetchNextPage() : null}
        onAbove={mayAsk && sought && pages.hasPreviousPage ? () => void pages.fetchPreviousPage() : null}
        onFirst={sought && pages.hasPreviousPage ? results.showFirst : null}
        onLast={pages.hasNextPage ? () => void results.showLast() : null}
      />
    </div>
  );
}
