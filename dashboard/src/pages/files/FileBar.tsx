/** The bar above the files: query box, type, order, grid or list. */
import { mediaTypes } from '@tapedeck/client';
import { Button } from '../../ui/Button.tsx';
import { type Option, Select } from '../../ui/forms/Select.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FileQueryBox } from './box/FileQueryBox.tsx';
import type { ChangeFileSearch, FileSearch, SortName } from './search.ts';
import { type FolderPanelState, FoldersButton } from './tree/FolderPanel.tsx';
import { typeNames } from './typeNames.ts';

const anyType = 'any';

const sorts: readonly Option<SortName>[] = [
  { value: 'createdAt', label: 'Date' },
  { value: 'name', label: 'Name' },
  { value: 'size', label: 'Size' },
  { value: 'duration', label: 'Duration' },
];

type FileBarProps = {
  project: string;
  search: FileSearch;
  onChange: ChangeFileSearch;
  /** Why the service rejected the query. */
  refusal: Error | null;
  /** Whether a narrow window shows the folders. */
  tree: FolderPanelState;
};

export function FileBar({ project, search, onChange, refusal, tree }: FileBarProps) {
  return (
    <search className="flex flex-wrap items-start gap-2.5 phone:gap-2">
      <FileQueryBox
        project={project}
        query={search.query ?? ''}
        refusal={refusal}
        onChange={query => onChange({ query: query || undefined, file: undefined })}
      />
      <div className="flex flex-wrap gap-2.5 phone:w-full phone:gap-2">
        <Select
          inBar
          aria-label="Type"
          value={search.type ?? anyType}
          options={[
            { value: anyType, label: 'Any type' },
            ...mediaTypes.map(type => ({ value: type, label: typeNames[type] })),
          ]}
          onChange={type => onChange({ type: type === anyType ? undefined : type })}
        />
        <SortControls search={search} onChange={onChange} />
        <FoldersButton {...tree} />
        <ViewSwitch view={search.view} onChange={view => onChange({ view })} />
      </div>
    </search>
  );
}

function SortControls({ search, onChange }: Pick<FileBarProps, 'search' | 'onChange'>) {
  const isRising = search.order === 'asc';
  const label = isRising ? 'Ascending' : 'Descending';
  return (
    <div className="flex gap-1">
      <Select
        inBar
        aria-label="Sort by"
        value={search.sort ?? 'createdAt'}
        options={sorts}
        onChange={sort =>
          // Names start at A; other orders start with the newest, largest or longest.
          onChange({
            sort: sort === 'createdAt' ? undefined : sort,
            order: sort === 'name' ? 'asc' : undefined,
          })
        }
      />
      <Button
        className="h-10 w-10 px-0!"
        aria-label={`${label}; press to reverse the order`}
        title={label}
        onClick={() => onChange({ order: isRising ? undefined : 'asc' })}
      >
        <Icon name={isRising ? 'up' : 'down'} />
      </Button>
    </div>
  );
}

const views = [
  { view: undefined, name: 'grid', icon: 'squares', label: 'Grid' },
  { view: 'list', name: 'list', icon: 'bars', label: 'List' },
  { view: 'storage', name: 'storage', icon: 'storage', label: 'Storage' },
] as const;

type ViewSwitchProps = { view: FileSearch['view']; onChange: (view: FileSearch['view']) => void };

function ViewSwitch({ view = undefined, onChange }: ViewSwitchProps) {
  return (
    <fieldset className="inline-flex overflow-hidden rounded-lg phone:ml-auto border border-line bg-panel">
      <legend className="sr-only">Show files</legend>
      {views.map(({ view: chosen, name, icon, label }) => (
        <button
          key={name}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={chosen === view}
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
