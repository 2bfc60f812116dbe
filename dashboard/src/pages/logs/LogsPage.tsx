/** The logs of a project: searched, counted over time, followed, and each entry opened. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { PageHead } from '../../parts/PageHead.tsx';
import { type Asking, logPagesQuery } from '../../queries/logs.ts';
import { readTerms } from '../../text/terms.ts';
import { ActiveFilters } from './ActiveFilters.tsx';
import { EntryPanel } from './EntryPanel.tsx';
import { Facets } from './Facets.tsx';
import { Histogram } from './Histogram.tsx';
import { NoEntries } from './NoEntries.tsx';
import { PageActions } from './PageActions.tsx';
import { ResultList } from './ResultList.tsx';
import { SearchBar } from './SearchBar.tsx';
import { askLogs, keyOf, type LogSearch } from './search.ts';
import { useLogSearch } from './searching.ts';
import { useTail } from './tail.ts';

export function LogsPage() {
  const { project } = useParams({ from: '/inside/projects/$project/logs' });
  const { search, change } = useLogSearch();
  const [isLive, setLive] = useState(false);
  const asking = useAsking(search);
  const terms = useMemo(() => readTerms(search.q ?? ''), [search.q]);
  const pages = useInfiniteQuery(logPagesQuery(project, asking));
  const tail = useTail({ project, search, isLive, onFollowing: () => void pages.refetch() });
  const entries = useMemo(
    () => joinEntries(tail.entries, pages.data?.pages.flatMap(page => page.data) ?? []),
    [tail.entries, pages.data],
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5">
      <div className="-mb-3">
        <PageHead title="Logs" actions={<PageActions project={project} search={search} />} />
      </div>
      <SearchBar
        project={project}
        search={search}
        onChange={change}
        tail={tail}
        isLive={isLive}
        onLive={isOn => {
          setLive(isOn);
          // What was followed is found by searching again.
          if (!isOn) void pages.refetch();
        }}
      />
      <ActiveFilters search={search} onChange={change} />
      <Histogram project={project} asking={asking} isLive={isLive} onChange={change} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <Facets project={project} search={search} entries={entries} isLive={isLive} onChange={change} />
        <div
          className={`relative grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 ${search.entry ? 'min-[90rem]:grid-cols-[minmax(0,1fr)_27rem]' : ''}`}
        >
          <ResultList
            entries={entries}
            pages={pages}
            terms={terms}
            nothing={<NoEntries project={project} search={search} onChange={change} />}
            openEntry={search.entry ?? null}
            onOpen={entry => change({ entry: entry ?? undefined })}
          />
          {search.entry && (
            <EntryPanel
              key={search.entry}
              project={project}
              traceId={search.entry}
              terms={terms}
              known={entries.find(({ traceId }) => traceId === search.entry) ?? null}
              onChange={change}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function useAsking(search: LogSearch): Asking {
  const key = keyOf(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal searches have equal keys, whatever object they are
  return useMemo(() => ({ key, question: () => askLogs(search, Date.now()) }), [key]);
}

type Entries = ReturnType<typeof useTail>['entries'];

/** What was followed may have been found as well. */
function joinEntries(followed: Entries, found: Entries): Entries {
  if (followed.length === 0) return found;
  const known = new Set(followed.map(({ traceId }) => traceId));
  return [...followed, ...found.filter(({ traceId }) => !known.has(traceId))];
}
