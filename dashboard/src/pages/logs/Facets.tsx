/** The most frequent values of resource and metadata among the matches; pressing one searches for it. */

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Icon } from '../../parts/Icon.tsx';
import { facetsQuery } from '../../queries/logs.ts';
import { isolate } from '../../text/direction.ts';
import { formatCount, formatShort } from '../../text/numbers.ts';
import { dropField, findAsked, listFields, nameMetadata, toggleAlso, toggleOnly } from './narrowing.ts';
import { isGap, type Row } from './results.ts';
import { roomyQuery, useScreen } from './screen.ts';
import { askLogs, keyOf, type LogSearch } from './search.ts';
import type { ChangeSearch } from './searching.ts';
import { facetRecountIntervalMs } from './tail.ts';

const pathsMax = 14; // a column on a laptop
const entriesLookedAt = 300; // their metadata tells which paths there are
const valuesShownMax = 12;
const reserved = ['level', 'body', 'resource', 'traceId', 'parentId', 'dataset', 'pattern'];

type FacetsProps = {
  project: string;
  search: LogSearch;
  rows: readonly Row[];
  /** What is wrong with the search is said already. */
  saidError: string | null;
  onChange: ChangeSearch;
};

export function Facets({ project, search, rows, saidError, onChange }: FacetsProps) {
  const paths = useMemo(() => listPaths(rows, search), [rows, search]);
  // On a phone the list of entries comes first.
  const isRoomy = useScreen(roomyQuery);
  const chosen = listFields(search.query ?? '');
  const facet = (name: string) => (
    <Facet
      key={name}
      {...{ project, search, saidError, onChange, name }}
      startsOpen={name === 'resource' || chosen.includes(name)}
    />
  );
  return (
    <details
      className="group rounded-xl border border-line bg-panel shadow-panel relative lg:max-h-full lg:overflow-y-auto"
      open={isRoomy}
    >
      <summary className="flex h-10 list-none items-center gap-2 px-3 text-sm font-medium lg:hidden">
        <Icon name="funnel" className="text-muted" />
        Narrow down
        <Icon name="down" className="ml-auto text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="divide-y divide-line max-lg:border-t max-lg:border-line">
        {facet('resource')}
        {paths.map(facet)}
      </div>
    </details>
  );
}

/** The most frequent first; those that narrow the search are always there. */
function listPaths(rows: readonly Row[], search: LogSearch): string[] {
  const counts = new Map<string, number>();
  for (const row of rows.slice(0, entriesLookedAt)) {
    for (const path of isGap(row) ? [] : Object.keys(row.metadata)) {
      // The empty one cannot be searched for.
      if (path !== '') counts.set(nameMetadata(path), (counts.get(nameMetadata(path)) ?? 0) + 1);
    }
  }
  const chosen = listFields(search.query ?? '').filter(name => !reserved.includes(name));
  const frequent = [...counts].sort(
    ([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1),
  );
  return [...new Set([...chosen, ...frequent.map(([path]) => path)])].slice(0, pathsMax);
}

type FacetProps = {
  project: string;
  search: LogSearch;
  saidError: string | null;
  onChange: ChangeSearch;
  name: string;
  startsOpen: boolean;
};

function Facet({ startsOpen, ...rest }: FacetProps) {
  const { name } = rest;
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <section>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex w-full items-center justify-between gap-2 px-3 py-2 text-left font-mono text-[0.78rem] hover:bg-ink/4"
        >
          <span className="min-w-0 truncate" title={name}>
            {name}
          </span>
          <Icon name={isOpen ? 'up' : 'down'} className="size-3 text-muted" />
        </button>
      </h2>
      {isOpen && <FacetValues {...rest} />}
    </section>
  );
}

/** Counted as if this field did not narrow the search, so that its other values stay in sight. */
function FacetValues(props: Omit<FacetProps, 'startsOpen'>) {
  const { project, search, saidError, onChange, name } = props;
  const { query = '' } = search;
  const others: LogSearch = { ...search, query: dropField(query, name) || undefined };
  const { data, error, isPlaceholderData } = useQuery(
    facetsQuery(project, {
      key: keyOf(others),
      question: () => askLogs(others, Date.now()),
      field: name === 'resource' ? name : `metadata.${name.replace(/^metadata\./, '')}`,
      recountIntervalMs: search.live === undefined ? false : facetRecountIntervalMs,
    }),
  );
  if (error && data === undefined) {
    const words = error.message === saidError ? 'Not counted' : error.message;
    return <p className="px-3 pb-2.5 text-sm text-muted">{words}</p>;
  }
  if (data === undefined) return <p className="px-3 pb-2.5 text-sm text-muted">Counting…</p>;
  const filled = data.filter(({ value }) => value !== '');
  if (filled.length === 0) return <p className="px-3 pb-2.5 text-sm text-muted">No values</p>;
  const most = Math.max(...filled.map(({ count }) => count));
  return (
    <ul
      aria-busy={isPlaceholderData}
      className={`grid grid-cols-[minmax(0,1fr)] gap-px px-1.5 pb-2 transition-opacity ${isPlaceholderData || error ? 'opacity-50' : ''}`}
    >
      {filled.slice(0, valuesShownMax).map(({ value, count }) => {
        const isChosen = findAsked(query, name, value) === 'only';
        return (
          <li key={value}>
            <button
              type="button"
              aria-pressed={isChosen}
              title={`${isolate(value)}: ${formatCount(count)}`}
              onClick={event => {
                const toggle = event.ctrlKey || event.metaKey ? toggleAlso : toggleOnly;
                onChange({ query: toggle(query, name, value) });
              }}
              className="relative flex w-full items-center justify-between gap-2 overflow-hidden rounded-md px-1.5 py-1 text-left
                text-[0.82rem] hover:bg-ink/5 aria-pressed:font-medium aria-pressed:text-accent"
            >
              <span
                aria-hidden="true"
                className="absolute inset-y-0 left-0 rounded-md bg-ink/5"
                style={{ width: `${(100 * count) / most}%` }}
              />
              <span className="relative min-w-0 truncate">{value}</span>
              <span className="relative font-mono text-[0.74rem] text-muted tabular-nums">
                {formatShort(count)}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
