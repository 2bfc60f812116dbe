/** Which files are shown: by name, type and folder; and whether as pictures or as lines. */
import { mediaTypes } from '@tapedeck/client';
import { useId } from 'react';
import { controlStyle } from '../../parts/Field.tsx';
import { Icon, type IconName } from '../../parts/Icon.tsx';
import { Select } from '../../parts/Select.tsx';
import { useTyping } from '../../parts/typing.ts';
import type { FileRecord } from '../../queries/files.ts';
import { type ChangeFileSearch, type FileSearch, listMetadataFilters } from './search.ts';

const typeNames = { image: 'Images', video: 'Videos', audio: 'Sounds' } as const;
const anyType = 'any';

type FileFiltersProps = { search: FileSearch; files: readonly FileRecord[]; onChange: ChangeFileSearch };

export function FileFilters({ search, files, onChange }: FileFiltersProps) {
  const folders = [...new Set(files.map(({ path }) => path).filter(Boolean))].sort();
  return (
    <search className="flex flex-wrap items-center gap-2.5">
      <TextFilter
        label="Search by file name"
        placeholder="File name"
        icon="search"
        value={search.q ?? ''}
        onChange={q => onChange({ q: q || undefined })}
      />
      <TextFilter
        label="Folder"
        placeholder="Any folder"
        icon="folder"
        value={search.path ?? ''}
        suggestions={folders}
        onChange={path => onChange({ path: path.replace(/^\/+|\/+$/g, '') || undefined })}
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

type TextFilterProps = {
  label: string;
  placeholder: string;
  icon: IconName;
  value: string;
  suggestions?: readonly string[];
  onChange: (value: string) => void;
};

function TextFilter({ label, placeholder, icon, value, suggestions, onChange }: TextFilterProps) {
  const { typed, setTyped } = useTyping(value, onChange);
  const list = useId();
  return (
    <span className="relative min-w-[min(100%,10rem)] flex-1">
      <Icon name={icon} className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        list={suggestions ? list : undefined}
        onChange={event => setTyped(event.target.value)}
        className={`${controlStyle} h-10 pl-9`}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </span>
  );
}

const views = [
  { view: undefined, name: 'grid', icon: 'squares', label: 'As pictures' },
  { view: 'list', name: 'list', icon: 'bars', label: 'As lines' },
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

function MetadataFilters({ search, onChange }: Omit<FileFiltersProps, 'files'>) {
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
        aria-label={`Without ${key} ${value}`}
        onClick={() => onChange({ [key]: undefined })}
        className="grid size-[24px] shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
      >
        <Icon name="cross" className="size-3" />
      </button>
    </span>
  ));
}
