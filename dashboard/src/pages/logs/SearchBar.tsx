/** The search bar: query, levels, dataset and time. */
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { datasetsQuery, listDatasetOptions } from '../../queries/datasets.ts';
import { logsKeyOf, refetchAfter } from '../../queries/logs.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ActiveFilters } from './ActiveFilters.tsx';
import { QueryBox } from './box/QueryBox.tsx';
import { LevelChips } from './LevelChips.tsx';
import { RangeSelect } from './RangeSelect.tsx';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';

type SearchBarProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  /** The service's error; null if none. */
  refusal: Error | null;
  /** Called when the box starts or stops showing a mistake. */
  onMistake: (hasMistake: boolean) => void;
  /** Goes before the levels. */
  facetsButton: ReactNode;
};

export function SearchBar(props: SearchBarProps) {
  const { project, search, onChange, refusal, onMistake, facetsButton } = props;
  return (
    <search className="grid gap-2.5 phone:gap-1.5">
      <div className="flex flex-wrap items-start gap-2.5 phone:gap-1.5">
        <QueryBox
          project={project}
          search={search}
          onChange={onChange}
          refusal={refusal}
          onMistake={onMistake}
        />
        <div className="flex gap-2.5 phone:gap-2 md:[&>span]:max-w-52 phone:w-full phone:[&>span]:flex-1">
          <DatasetSelect
            project={project}
            dataset={search.dataset}
            onChange={dataset => onChange({ dataset })}
          />
          <RangeSelect search={search} onChange={onChange} />
          <RefreshButton project={project} />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        {facetsButton}
        <LevelChips search={search} onChange={onChange} />
        <ActiveFilters search={search} onChange={onChange} />
      </div>
    </search>
  );
}

type DatasetSelectProps = {
  project: string;
  dataset: string | undefined;
  onChange: (dataset: string | undefined) => void;
};

function DatasetSelect({ project, dataset, onChange }: DatasetSelectProps) {
  const { data = [] } = useQuery({ ...datasetsQuery(project), refetchInterval: refetchAfter() });
  return (
    <Select
      inBar
      aria-label="Dataset"
      value={dataset ?? ''}
      options={listDatasetOptions(data, dataset ?? '')}
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
