/** Switches between three views of a search: entries, patterns, and a comparison with another time span. */
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { LiveControls } from './LiveControls.tsx';
import { ViewMenu } from './list/ViewMenu.tsx';
import type { LogSearch } from './search.ts';
import type { Tail } from './tail.ts';
import type { ChangeSearch } from './useLogSearch.ts';

const tabs = [
  { id: 'entries', label: 'Entries' },
  { id: 'patterns', label: 'Patterns' },
  { id: 'compare', label: 'Compare' },
] as const;
type TabId = (typeof tabs)[number]['id'];

export function readTab({ tab }: LogSearch): TabId {
  return tabs.find(({ id }) => id === tab)?.id ?? 'entries';
}

type ResultTabsProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  tail: Tail;
  onLive: (isLive: boolean) => void;
  children: ReactNode;
};

export function ResultTabs({ project, search, onChange, tail, onLive, children }: ResultTabsProps) {
  const tab = readTab(search);
  const list = useRef<HTMLDivElement>(null);
  const open = (id: TabId) => onChange({ tab: id === 'entries' ? undefined : id, entry: undefined });
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const step = event.key === 'ArrowRight' ? 1 : tabs.length - 1;
    const other = tabs[(tabs.findIndex(({ id }) => id === tab) + step) % tabs.length]?.id ?? 'entries';
    open(other);
    list.current?.querySelector<HTMLElement>(`#tab-${other}`)?.focus();
  };
  return (
    <div className="flex min-w-0 flex-col gap-2 phone:gap-1.5 lg:h-full lg:min-h-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 phone:gap-x-1">
        <div
          ref={list}
          role="tablist"
          aria-label="Results"
          className="flex gap-1 phone:gap-0"
          onKeyDown={handleKey}
        >
          {tabs.map(({ id, label }) => (
            <button
              key={id}
              id={`tab-${id}`}
              type="button"
              role="tab"
              aria-selected={tab === id}
              aria-controls="results"
              tabIndex={tab === id ? 0 : -1}
              onClick={() => open(id)}
              className="relative h-8 rounded-md px-2.5 text-sm phone:px-2 text-muted hover:text-ink aria-selected:font-medium aria-selected:text-ink
                aria-selected:after:absolute aria-selected:after:inset-x-2.5 aria-selected:after:bottom-0 aria-selected:after:h-0.5
                aria-selected:after:rounded-full aria-selected:after:bg-accent"
            >
              {label}
            </button>
          ))}
        </div>
        <div className="flex flex-wrap items-center gap-2 phone:gap-1">
          <LiveControls tail={tail} isLive={search.live !== undefined} onLive={onLive} />
          {tab === 'entries' && <ViewMenu project={project} search={search} onChange={onChange} />}
        </div>
      </div>
      <div id="results" role="tabpanel" aria-labelledby={`tab-${tab}`} className="lg:min-h-0 lg:flex-1">
        {children}
      </div>
    </div>
  );
}
