/** Shows the entries before and after an entry in its dataset, whatever the search was. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { formatPreciseTime } from '../../../format/times.ts';
import { contextQuery, type LogEntry } from '../../../queries/logs.ts';
import { Button } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/forms/Select.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import { StyledLine } from '../highlight/StyledText.tsx';
import { levelLooks } from '../levels.ts';
import { Pairs } from '../list/EntryLine.tsx';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useZone } from '../view.ts';
import { listContextScopes } from './contextScopes.ts';

const entriesAtFirst = 5;
const entriesMax = 100; // the service's maximum; the list goes further
const noTerms: readonly string[] = [];

/** The field that narrows the context, kept from entry to entry; empty if none. */
export type ContextField = { field: string; setField: (field: string) => void };

type EntryContextProps = ContextField & {
  project: string;
  entry: LogEntry;
  onChange: ChangeSearch;
  onAround: (entry: LogEntry) => void;
};

export function EntryContext(props: EntryContextProps) {
  const { project, entry: opened, onChange, onAround, field, setField } = props;
  const [count, setCount] = useState(entriesAtFirst);
  const scopes = useMemo(() => listContextScopes(opened), [opened]);
  const narrowed = scopes.find(scope => scope.field === field)?.value ?? '';
  const { data, error } = useQuery(contextQuery(project, opened.traceId, { entries: count, narrowed }));
  const open = (entry: LogEntry) => onChange({ entry: entry.traceId });
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-sm font-semibold">Context</h3>
        {scopes.length > 1 && (
          <Select
            small
            aria-label="Entries around it"
            value={narrowed}
            options={scopes}
            onChange={value => setField(scopes.find(scope => scope.value === value)?.field ?? '')}
          />
        )}
      </div>
      {error && <Notice look="error">{error.message}</Notice>}
      {!data && !error && <Spinner />}
      {data && (
        <ol className="overflow-hidden rounded-lg border border-line">
          {data.before.map(entry => (
            <Neighbour key={entry.traceId} entry={entry} onOpen={() => open(entry)} />
          ))}
          <li aria-current="true" className="border-l-[3px] border-accent bg-well text-[0.8rem]">
            <NeighbourLines entry={data.entry} />
          </li>
          {data.after.map(entry => (
            <Neighbour key={entry.traceId} entry={entry} onOpen={() => open(entry)} />
          ))}
        </ol>
      )}
      {data && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => onAround(data.entry)}>
            Show this moment in the list
          </Button>
          {count < entriesMax && (
            <Button look="quiet" size="small" onClick={() => setCount(Math.min(entriesMax, count * 4))}>
              Show more context
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

function Neighbour({ entry, onOpen }: { entry: LogEntry; onOpen: () => void }) {
  return (
    <li className="border-b border-line/55 last:border-0">
      <button type="button" onClick={onOpen} className="block w-full text-left text-[0.8rem] hover:bg-ink/4">
        <NeighbourLines entry={entry} />
      </button>
    </li>
  );
}

function NeighbourLines({ entry }: { entry: LogEntry }) {
  const { level, timestamp, body, resource, metadata } = entry;
  return (
    <span className="grid grid-cols-[minmax(0,1fr)] gap-0.5 px-2 py-1.5">
      <span className="truncate text-[0.72rem]">
        <time dateTime={timestamp} title={timestamp} className="font-mono text-muted tabular-nums">
          {formatPreciseTime(timestamp, useZone())}
        </time>{' '}
        <span className={`font-mono ${levelLooks[level].text}`}>{level}</span>{' '}
        <bdi className="font-medium">{resource}</bdi>{' '}
        <Pairs metadata={metadata} terms={noTerms} columns={noTerms} comesFirst={false} />
      </span>{' '}
      <span className="truncate">
        <bdi>{body ? <StyledLine text={body} terms={noTerms} charactersMax={300} /> : 'No text'}</bdi>
      </span>
    </span>
  );
}
