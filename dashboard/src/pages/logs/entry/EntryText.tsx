/** Shows an entry's message, time and source. */
import { type ReactNode, useMemo } from 'react';
import { formatPreciseDayTime } from '../../../format/times.ts';
import type { LogEntry } from '../../../queries/logs.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { FilterLink } from '../../../ui/FilterLink.tsx';
import { levelLooks } from '../levels.ts';
import { toggleOnly } from '../queryFilters.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { ValueMenu } from '../ValueActions.tsx';
import { useZone } from '../view.ts';
import { ChatCard } from './ChatCard.tsx';
import { readChatMessage } from './chatMessage.ts';
import { EntryBody } from './EntryBody.tsx';

type EntryTextProps = {
  project: string;
  entry: LogEntry;
  terms: readonly string[];
  search: LogSearch;
  onChange: ChangeSearch;
};

export function EntryText({ project, entry, terms, search, onChange }: EntryTextProps) {
  const zone = useZone();
  const { level, body, timestamp } = entry;
  const message = useMemo(() => readChatMessage(entry), [entry]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="flex flex-wrap items-center justify-between gap-2 font-mono text-[0.8rem]">
        <span className={`flex items-center font-semibold ${levelLooks[level].text}`}>
          {level}
          <ValueMenu name="level" value={level} search={search} onChange={onChange}>
            Actions for the level
          </ValueMenu>
        </span>
        <time dateTime={timestamp} className="text-muted tabular-nums">
          {formatPreciseDayTime(timestamp, { zone })}
        </time>
      </p>
      <div className="relative rounded-lg border border-line bg-well/60">
        {message ? (
          <ChatCard project={project} message={message} terms={terms} />
        ) : (
          <EntryBody body={body} terms={terms} />
        )}
        <span className="absolute top-1 right-1">
          <CopyButton text={body} label="Copy the text" />
        </span>
      </div>
      <Properties entry={entry} search={search} onChange={onChange} />
    </div>
  );
}

/** Lists the properties every entry has, with links to similar entries. */
function Properties({ entry, search, onChange }: Omit<EntryTextProps, 'project' | 'terms'>) {
  const { timestamp, dataset, resource, traceId, parentId } = entry;
  return (
    <dl className="grid gap-1 text-sm">
      <Property name="dataset">
        <FilterLink label={`Only the dataset ${dataset}`} onClick={() => onChange({ dataset })}>
          {dataset}
        </FilterLink>
        <ValueMenu name="dataset" value={dataset} search={search} onChange={onChange}>
          Actions for the dataset
        </ValueMenu>
      </Property>
      {resource && (
        <Property name="resource">
          <FilterLink
            label={`Only the resource ${resource}`}
            onClick={() => onChange({ query: toggleOnly(search.query ?? '', 'resource', resource) })}
          >
            <bdi>{resource}</bdi>
          </FilterLink>
          <ValueMenu name="resource" value={resource} search={search} onChange={onChange}>
            Actions for the resource
          </ValueMenu>
        </Property>
      )}
      <Property name="UTC">
        <span className="min-w-0 truncate font-mono text-[0.78rem]">{timestamp}</span>
        <CopyButton text={timestamp} label="Copy the time" />
      </Property>
      <Property name="traceId">
        <span className="min-w-0 truncate font-mono text-[0.78rem]">{traceId}</span>
        <CopyButton text={traceId} label="Copy the traceId" />
      </Property>
      {parentId && (
        <Property name="parentId">
          <FilterLink label="Open the parent" onClick={() => onChange({ entry: parentId })}>
            <span className="font-mono text-[0.78rem]">{parentId}</span>
          </FilterLink>
        </Property>
      )}
    </dl>
  );
}

function Property({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-2">
      <dt className="engraved">{name}</dt>
      <dd className="flex min-w-0 items-center justify-between gap-2">{children}</dd>
    </div>
  );
}
