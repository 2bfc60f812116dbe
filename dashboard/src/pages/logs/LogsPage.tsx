/** Searches, charts and follows a project's logs, and opens entries. */
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useDeferredRest } from '../../ui/hooks/useDeferredRest.ts';
import { usePageKeys } from '../../ui/hooks/usePageKeys.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { IssueStrip } from '../issues/IssueStrip.tsx';
import { DifferenceList } from './compare/DifferenceList.tsx';
import { EntryPanel } from './entry/EntryPanel.tsx';
import { FacetsButton, FacetsLayout } from './facets/FacetsLayout.tsx';
import { type FacetsShown, useFacetsShown } from './facets/facetsShown.ts';
import { NoEntries, WrongQuery } from './NoEntries.tsx';
import { OlderLogs } from './OlderLogs.tsx';
import { PageActions } from './PageActions.tsx';
import { PatternList } from './patterns/PatternList.tsx';
import { listFields, listWords } from './queryFilters.ts';
import { ResultChart } from './ResultChart.tsx';
import { ResultList } from './ResultList.tsx';
import { ResultTabs, readTab } from './ResultTabs.tsx';
import { type Results, useResults } from './results.ts';
import { SearchBar } from './SearchBar.tsx';
import { SearchError } from './SearchError.tsx';
import type { LogSearch } from './search.ts';
import { useShownSearch } from './shownSearch.ts';
import { type ChangeSearch, useLogSearch } from './useLogSearch.ts';
import { useMediaQuery, wideQuery } from './viewport.ts';

export function LogsPage() {
  const { project } = useParams({ from: '/inside/projects/$project/logs' });
  const { search: asked, change } = useLogSearch();
  const { shown: search, isWrong, setMistake } = useShownSearch(asked);
  const [failedExport, setFailedExport] = useState<{ key: string; words: string } | null>(null);
  const results = useResults({ project, search, change });
  const { rows, asking, searchError } = results;
  const { entry, query = '' } = search;
  const isBeside = useMediaQuery(wideQuery);
  const facets = useFacetsShown(entry !== undefined && isBeside);
  const showExportFailure = (words: string | null) =>
    setFailedExport(words === null ? null : { key: asking.key, words });
  const terms = useMemo(() => listWords(query), [query]);
  usePageKeys({ e: focusList, l: () => results.setLive(search.live === undefined), f: facets.toggle });
  const rendersRest = useDeferredRest();
  const shared = { project, search, onChange: change, shownError: searchError?.message ?? null };
  return (
    <div className="flex gap-3.5 phone:-mt-4 lg:-mb-16 lg:h-[calc(100dvh-3rem)] lg:min-h-[36rem]">
      <div className="flex min-w-0 flex-1 flex-col gap-3.5 phone:gap-1.5">
        <SkipLink />
        <div className="-mb-3 phone:-mb-5">
          <PageHead
            title="Logs"
            actions={<PageActions {...shared} search={asked} onExportFailure={showExportFailure} />}
          />
        </div>
        <OlderLogs project={project} />
        {failedExport?.key === asking.key && <Notice look="error">{failedExport.words}</Notice>}
        <SearchBar
          {...shared}
          search={asked}
          refusal={searchError}
          onMistake={setMistake}
          facetsButton={<FacetsButton shown={facets} />}
        />
        {searchError && <SearchError project={project} error={searchError} />}
        {rendersRest && (
          <Answers {...shared} results={results} terms={terms} isWrong={isWrong} facets={facets} />
        )}
      </div>
      {entry && rendersRest && (
        <EntryPanel
          project={project}
          traceId={entry}
          rows={rows}
          search={search}
          terms={terms}
          onChange={change}
          known={results.findEntry(entry)}
          onAround={results.showAround}
        />
      )}
    </div>
  );
}

type AnswersProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  shownError: string | null;
  results: Results;
  terms: readonly string[];
  /** True if the results belong to an earlier query. */
  isWrong: boolean;
  facets: FacetsShown;
};

/** Everything that depends on the search. */
function Answers({ results, terms, isWrong, facets, ...shared }: AnswersProps) {
  const { project, search, onChange } = shared;
  const tab = isWrong && results.searchError !== null ? 'refused' : readTab(search);
  const query = search.query ?? '';
  return (
    <div
      className={`flex min-w-0 flex-col gap-3.5 transition-opacity phone:gap-1.5 lg:min-h-0 lg:flex-1 ${isWrong ? 'outdated' : ''}`}
    >
      {listFields(query).includes('pattern') && <IssueStrip project={project} query={query} />}
      <ResultChart {...shared} asking={results.asking} />
      <FacetsLayout {...shared} shown={facets}>
        <ResultTabs {...shared} tail={results.tail} onLive={results.setLive}>
          {tab === 'refused' && <WrongQuery />}
          {tab === 'patterns' && <PatternList {...shared} asking={results.asking} />}
          {tab === 'compare' && <DifferenceList {...shared} />}
          {tab === 'entries' && (
            <ResultList
              project={project}
              results={results}
              terms={terms}
              search={search}
              onChange={onChange}
              nothing={isWrong ? <WrongQuery /> : <NoEntries {...shared} />}
              openEntry={search.entry ?? null}
              onOpen={opened => onChange({ entry: opened ?? undefined })}
            />
          )}
        </ResultTabs>
      </FacetsLayout>
    </div>
  );
}

function SkipLink() {
  return (
    <button
      type="button"
      onClick={focusList}
      className="sr-only rounded-lg bg-ink px-3 py-2 text-sm text-on-ink focus:not-sr-only focus:self-start"
    >
      Skip to the entries
    </button>
  );
}

function focusList(): void {
  document.querySelector<HTMLElement>('#entries, [data-pattern]')?.focus();
}
