/** Lists the patterns of the matches: one row for entries that differ only in numbers, names and times. */

import { useQuery } from '@tanstack/react-query';
import { logLevels } from '@tapedeck/client';
import { type KeyboardEvent, type ReactNode, useMemo } from 'react';
import { countThings, formatCount } from '../../../format/numbers.ts';
import {
  type FoundPatterns,
  type LogPattern,
  nameValues,
  patternsQuery,
} from '../../../queries/logPatterns.ts';
import { histogramQuery, type LogRequest } from '../../../queries/logs.ts';
import { useProject } from '../../../queries/projects.ts';
import { isShownElsewhere } from '../../../queryBox/queryErrors.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Select } from '../../../ui/forms/Select.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { slowSearch } from '../../../ui/SlowNote.tsx';
import { PageSpinner } from '../../../ui/Spinner.tsx';
import { toggleNot, toggleOnly } from '../queryFilters.ts';
import { composeLogQuestion, type LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { NewPatternsAlertLink, PatternAlertLink } from './alertLinks.tsx';
import { BackfillNotice } from './BackfillNotice.tsx';
import { PatternLine } from './PatternLine.tsx';

const orders = [
  { value: 'count', label: 'Most frequent' },
  { value: 'firstSeen', label: 'Newest first' },
] as const;
const none: FoundPatterns = { data: [], timestamps: [], total: 0, status: 'ok' };

type PatternListProps = {
  project: string;
  asking: LogRequest;
  search: LogSearch;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
};

export function PatternList({ project, asking, search, shownError, onChange }: PatternListProps) {
  const isNew = search.new !== undefined;
  const isFollowed = search.live !== undefined;
  const { data, error, isPlaceholderData } = useQuery(
    patternsQuery(project, { ...asking, isNew, isFollowed }),
  );
  const { query = '' } = search;
  const found = data ?? none;
  const sorted = useMemo(() => sort(found.data, search.sort), [found, search.sort]);
  const entries = useTotal(found, { project, asking, isNew });
  const news = findNews(search, found);
  const mayAlert = isRoleAtLeast(useProject(project).role, 'admin');
  if (error && data === undefined)
    return isShownElsewhere(error, shownError) ? null : <Notice look="error">{error.message}</Notice>;
  return (
    <div className="flex flex-col gap-2 lg:h-full lg:min-h-0">
      <PatternControls search={search} found={found} onChange={onChange}>
        {mayAlert && <NewPatternsAlertLink project={project} search={search} />}
      </PatternControls>
      <BackfillNotice project={project} />
      {data === undefined && <PageSpinner slow={slowSearch} />}
      {data !== undefined && sorted.length === 0 && <NoPatterns isNew={isNew} onChange={onChange} />}
      {sorted.length > 0 && (
        <ul
          aria-label="Patterns"
          aria-busy={isPlaceholderData}
          onKeyDown={walk}
          className={`rounded-xl border border-line bg-panel shadow-panel transition-opacity lg:min-h-0 lg:overflow-y-auto
            ${isPlaceholderData ? 'outdated' : ''}`}
        >
          {sorted.map(each => (
            <PatternLine
              key={each.pattern}
              found={each}
              share={entries === null ? null : each.entries / entries}
              isNew={news.has(each.pattern)}
              onOpen={() =>
                onChange({
                  query: toggleOnly(query, 'pattern', nameValues(each)),
                  tab: undefined,
                  new: undefined,
                })
              }
              alertLink={
                mayAlert ? <PatternAlertLink project={project} search={search} found={each} /> : null
              }
              onExclude={() => onChange({ query: toggleNot(query, 'pattern', nameValues(each)) })}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** Finds patterns first seen in the searched time. If all are, it marks none. */
function findNews(search: LogSearch, { data }: FoundPatterns): ReadonlySet<string> {
  const { from } = composeLogQuestion(search, Date.now());
  const isNews = ({ firstSeenAt }: LogPattern) =>
    from !== undefined && Date.parse(firstSeenAt) >= Date.parse(from);
  const news = data.filter(isNews);
  const areAll = news.length === data.length && search.new === undefined;
  return new Set(areAll ? [] : news.map(({ pattern }) => pattern));
}

/** Returns the number of matches; null while unknown. Uses the histogram if not all patterns are listed. */
function useTotal(
  { data, total }: FoundPatterns,
  { project, asking, isNew }: Pick<PatternListProps, 'project' | 'asking'> & { isNew: boolean },
): number | null {
  const isPart = isNew || total > data.length;
  const { data: buckets } = useQuery({ ...histogramQuery(project, asking), enabled: isPart });
  if (!isPart) return data.reduce((sum, { entries }) => sum + entries, 0);
  if (buckets === undefined) return null;
  return buckets.reduce(
    (sum, { counts }) => sum + logLevels.reduce((all, level) => all + counts[level], 0),
    0,
  );
}

/** Sorts like the service, the most frequent first. */
function sort(found: readonly LogPattern[], order: string | undefined): readonly LogPattern[] {
  if (order !== 'firstSeen') return found;
  return found.toSorted((one, other) => Date.parse(other.firstSeenAt) - Date.parse(one.firstSeenAt));
}

type PatternControlsProps = {
  search: LogSearch;
  found: FoundPatterns;
  onChange: ChangeSearch;
  children: ReactNode;
};

function PatternControls({ search, found, onChange, children }: PatternControlsProps) {
  const isNew = search.new !== undefined;
  const isOfDay = search.range === undefined && search.from === undefined && search.to === undefined;
  // Clearing the range means the last 24 hours.
  const toggle = () =>
    onChange(isNew ? { new: undefined } : { new: '1', range: undefined, from: undefined, to: undefined });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <p role="status" className="mr-auto text-muted">
        {found === none ? 'Looking for patterns…' : describeFound(found)}
      </p>
      {children}
      <Button size="small" aria-pressed={isNew} className="aria-pressed:border-accent" onClick={toggle}>
        {isNew && !isOfDay ? 'New in this time range' : 'New since yesterday'}
      </Button>
      <Select
        small
        aria-label="Order of the patterns"
        value={search.sort === 'firstSeen' ? 'firstSeen' : 'count'}
        options={orders}
        onChange={order => onChange({ sort: order === 'count' ? undefined : order })}
      />
    </div>
  );
}

function describeFound({ data, total }: FoundPatterns): string {
  if (total <= data.length) return countThings(data.length, 'pattern');
  return `Showing the ${data.length} most frequent of ${formatCount(total)} patterns. Refine the search to see others.`;
}

function NoPatterns({ isNew, onChange }: { isNew: boolean; onChange: ChangeSearch }) {
  if (!isNew) return <EmptyState title="Nothing found">No matching entries, so no patterns.</EmptyState>;
  return (
    <EmptyState
      title="Nothing new"
      action={<Button onClick={() => onChange({ new: undefined })}>Show all patterns</Button>}
    >
      No new patterns in this time range.
    </EmptyState>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Moves from row to row, as in the list of entries. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-pattern]')];
  const at = lines.findIndex(line =>
    line.closest('li')?.contains(event.target instanceof Node ? event.target : null),
  );
  const step = steps[event.key];
  const ends: Readonly<Record<string, number>> = { Home: 0, End: lines.length - 1 };
  const next = step === undefined ? ends[event.key] : Math.min(Math.max(at + step, 0), lines.length - 1);
  if (next === undefined) return;
  event.preventDefault();
  lines[next]?.focus();
}
