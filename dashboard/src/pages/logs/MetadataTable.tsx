/** The metadata of an entry: each value can be copied, followed where it is an address, and searched for. */

import { CopyButton } from '../../parts/CopyButton.tsx';
import { Icon } from '../../parts/Icon.tsx';
import type { LogEntry } from '../../queries/logs.ts';
import { isolate } from '../../text/direction.ts';
import { Linked } from './Painted.tsx';
import { metadataKey } from './search.ts';
import type { ChangeSearch } from './searching.ts';

type MetadataTableProps = Pick<LogEntry, 'metadata'> & { onChange: ChangeSearch };

export function MetadataTable({ metadata, onChange }: MetadataTableProps) {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">Metadata</h3>
      <dl className="divide-y divide-line overflow-hidden rounded-lg border border-line font-mono text-[0.78rem]">
        {pairs.map(([path, value]) => (
          <div
            key={path}
            className="grid grid-cols-[minmax(5rem,2fr)_3fr_auto] items-start gap-2 py-0.5 pr-1 pl-2.5"
          >
            <dt className="py-1.5 wrap-anywhere text-muted">{path || '(no name)'}</dt>
            <dd className="max-h-40 overflow-auto py-1.5 whitespace-pre-wrap wrap-anywhere">
              <Linked text={value} />
            </dd>
            <dd className="flex">
              <CopyButton text={value} label={`Copy the value of ${path || 'no name'}`} />
              {path !== '' && (
                <OnlyButton path={path} onClick={() => onChange({ [metadataKey(path)]: value })} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function OnlyButton({ path, onClick }: { path: string; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Only entries with this ${path}`}
      title={`Only entries with this ${isolate(path)}`}
      onClick={onClick}
      className="grid size-8 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
    >
      <Icon name="funnel" className="size-3.5" />
    </button>
  );
}
