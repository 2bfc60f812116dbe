/** Which files are shown: by name, type and folder; and whether as pictures or as lines. */
import { mediaTypes } from '@tapedeck/client';
import { Select } from '../../ui/forms/Select.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FolderFilter } from './FolderFilter.tsx';
import { type ChangeFileSearch, type FileSearch, listMetadataFilters } from './search.ts';
import { TextFilter } from './TextFilter.tsx';

const typeNames = { image: 'Images', video: 'Videos', audio: 'Audio' } as const;
const anyType = 'any';

type FileFiltersProps = { project: string; search: FileSearch; onChange: ChangeFileSearch };

export function FileFilters({ project, search, onChange }: FileFiltersProps) {
  return (
    <search className="flex flex-wrap items-center gap-2.5">
      <TextFilter
        label="Search by file name"
        placeholder="File name"
        icon="search"
        value={search.q ?? ''}
        onChange={q => onChange({ q: q || undefined })}
      />
      <FolderFilter
        project={project}
        folder={search.path ?? ''}
        onChange={path => onChange({ path: path || undefined })}
      />
      <Select
        aria-label="Type"
        value={search.type ?? anyType}
        options={[
          { value: anyType, label: 'Any type' },
          ...mediaTypes.map(type => ({ value: type, label: typeNames[type] })),
        ]}
        onChange={type => onChange({ type: type === anyType ? undefined : type })}
      />
      <ViewSwitch view={search.view ?? 'grid'} onChange={view => onChange({ view })} />
      <MetadataFilters search={search} onChange={onChange} />
    </search>
  );
}

const views = [
  { view: undefined, name: 'grid', icon: 'squares', label: 'Grid' },
  { view: 'list', name: 'list', icon: 'bars', label: 'List' },
] as const;

type ViewSwitchProps = { view: 'grid' | 'list'; onChange: (view: 'list' | undefined) => void };

function ViewSwitch({ view, onChange }: ViewSwitchProps) {
  return (
    <fieldset className="inline-flex overflow-hidden rounded-lg border border-line bg-panel">
      <legend className="sr-only">Show files</legend>
      {views.map(({ view: chosen, name, icon, label }) => (
        <button
          key={name}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={name === view}
          onClick={() => onChange(chosen)}
          className="grid h-9.5 w-10 place-items-center text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2
            aria-pressed:bg-ink/8 aria-pressed:text-ink"
        >
          <Icon name={icon} />
        </button>
      ))}
    </fieldset>
  );
}

function MetadataFilters({ search, onChange }: Omit<FileFiltersProps, 'project'>) {
  return listMetadataFilters(search).map(({ key, value }) => (
    <span
      key={key}
      className="inline-flex max-w-full items-center gap-1 rounded-lg border border-edge bg-panel py-0.5 pr-0.5 pl-2.5 font-mono text-[0.8rem]"
    >
      <span className="min-w-0 truncate">
        <span className="text-muted">{key.slice('metadata.'.length)}</span> {value}
      </span>
      <button
        type="button"
        aria-label={`Remove filter ${key} ${value}`}
        onClick={() => onChange({ [key]: undefined })}
        className="grid size-[24px] shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
      >
        <Icon name="cross" className="size-3" />
      </button>
    </span>
  ));
}
