/** Shows an entry's metadata. Users can copy and search for each value, and open URLs. */
import type { ReactNode } from 'react';
import { isolate } from '../../../format/direction.ts';
import type { LogEntry } from '../../../queries/logs.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { LongText } from '../../../ui/LongText.tsx';
import { SubjectLink } from '../../players/SubjectLink.tsx';
import { LinkedText } from '../highlight/StyledText.tsx';
import { nameMetadata, toggleOnly } from '../queryFilters.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { ValueMenu } from '../ValueActions.tsx';

type MetadataTableProps = Pick<LogEntry, 'metadata'> & {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
};

export function MetadataTable({ project, metadata, search, onChange }: MetadataTableProps) {
  const { query = '' } = search;
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">Metadata</h3>
      <dl className="grid grid-cols-[minmax(5rem,2fr)_3fr_auto] divide-y divide-line overflow-hidden rounded-lg border border-line font-mono text-[0.78rem]">
        {pairs.map(([path, value]) => (
          <div key={path} className="col-span-3 grid grid-cols-subgrid items-start gap-2 py-0.5 pr-1 pl-2.5">
            <dt className="py-1.5 wrap-anywhere text-muted">
              {path ? <BreakablePath path={path} /> : '(no name)'}
            </dt>
            <LongText as="dd" text={value} className="py-1.5">
              <LinkedText text={value} />
            </LongText>
            <dd className="flex justify-end">
              <SubjectLink project={project} path={path} value={value} />
              <CopyButton text={value} label={`Copy the value of ${path || 'no name'}`} />
              <NarrowButton
                icon="funnel"
                label={`Only entries with this ${path || 'value'}`}
                onClick={() => onChange({ query: toggleOnly(query, nameMetadata(path), value) })}
              />
              <ValueMenu name={nameMetadata(path)} value={value} search={search} onChange={onChange}>
                {`Actions for ${path || 'the unnamed value'}`}
              </ValueMenu>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Breaks lines behind dots, if it has to. */
function BreakablePath({ path }: { path: string }) {
  const [first = '', ...others] = path.split('.');
  return others.reduce<ReactNode>(
    (before, part) => (
      <>
        {before}.<wbr />
        {part}
      </>
    ),
    first,
  );
}

type NarrowButtonProps = { icon: IconName; label: string; onClick: () => void };

function NarrowButton({ icon, label, onClick }: NarrowButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={isolate(label)}
      onClick={onClick}
      className="grid size-8 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
    >
      <Icon name={icon} className="size-3.5" />
    </button>
  );
}
