/** Where one says what to look for: words, levels, dataset and time; and whether to follow what arrives. */
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { controlStyle } from '../../parts/Field.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { usePageKeys } from '../../parts/pageKeys.ts';
import { type Option, Select } from '../../parts/Select.tsx';
import { datasetsQuery } from '../../queries/datasets.ts';
import { askAgainAfter, logsKeyOf } from '../../queries/logs.ts';
import { LevelChips } from './LevelChips.tsx';
import { LiveControls } from './LiveControls.tsx';
import { RangeSelect } from './RangeSelect.tsx';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './searching.ts';
import type { Tail } from './tail.ts';
import { ViewMenu } from './ViewMenu.tsx';

type SearchBarProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  tail: Tail;
  onLive: (isLive: boolean) => void;
  /** Stands before the levels. */
  facetsButton: ReactNode;
};

export function SearchBar({ project, search, onChange, tail, onLive, facetsButton }: SearchBarProps) {
  return (
    <search className="grid gap-2.5">
      <div className="flex flex-wrap gap-2.5">
        <QueryBox query={search.query ?? ''} onChange={query => onChange({ query })} />
        <div className="flex gap-2.5 md:[&>span]:max-w-52 phone:w-full phone:[&>span]:flex-1">
          <DatasetSelect
            project={project}
            dataset={search.dataset}
            onChange={dataset => onChange({ dataset })}
          />
          <RangeSelect search={search} onChange={onChange} />
          <RefreshButton project={project} />
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2.5">
        <div className="flex flex-wrap gap-1.5">
          {facetsButton}
          <LevelChips search={search} onChange={onChange} />
        </div>
        <div className="flex flex-wrap items-center gap-2.5">
          <LiveControls tail={tail} isLive={search.live !== undefined} onLive={onLive} />
          <ViewMenu {...{ project, search, onChange }} />
        </div>
      </div>
    </search>
  );
}

/** Searches on Enter. A slash anywhere on the page comes here. */
function QueryBox({ query, onChange }: { query: string; onChange: (query: string | undefined) => void }) {
  const [typed, setTyped] = useState(query);
  const input = useRef<HTMLInputElement>(null);
  usePageKeys({ '/': () => input.current?.focus() });
  useEffect(() => setTyped(query), [query]);
  return (
    <form
      className="relative min-w-[min(100%,16rem)] flex-1"
      onSubmit={event => {
        event.preventDefault();
        onChange(typed.trim() || undefined);
      }}
    >
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted"
      />
      <input
        ref={input}
        type="search"
        aria-label="Search the logs"
        placeholder="level:error player.id:43 -oxmysql"
        value={typed}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={event => setTyped(event.target.value)}
        className={`peer ${controlStyle} h-10 pl-9 md:pr-9`}
      />
      <kbd className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 rounded border border-line px-1.5 font-mono text-[0.72rem] text-muted peer-focus:hidden peer-[:not(:placeholder-shown)]:hidden phone:hidden">
        /
      </kbd>
    </form>
  );
}

type DatasetSelectProps = {
  project: string;
  dataset: string | undefined;
  onChange: (dataset: string | undefined) => void;
};

function DatasetSelect({ project, dataset, onChange }: DatasetSelectProps) {
  const { data = [] } = useQuery({ ...datasetsQuery(project), refetchInterval: askAgainAfter() });
  const names = data.map(({ name }) => name);
  if (dataset !== undefined && !names.includes(dataset)) names.push(dataset);
  const options: Option<string>[] = [
    { value: '', label: 'All datasets' },
    ...names.map(name => ({ value: name, label: name })),
  ];
  return (
    <Select
      aria-label="Dataset"
      value={dataset ?? ''}
      options={options}
      onChange={chosen => onChange(chosen || undefined)}
    />
  );
}

function RefreshButton({ project }: { project: string }) {
  const queries = useQueryClient();
  const isBusy = useIsFetching(logsKeyOf(project)) > 0;
  return (
    <Button
      className="h-10 w-10 px-0!"
      aria-label="Search again"
      title="Search again"
      aria-busy={isBusy}
      onClick={() => void queries.invalidateQueries(logsKeyOf(project))}
    >
      <Icon name="again" className={isBusy ? 'animate-spin' : ''} />
    </Button>
  );
}
