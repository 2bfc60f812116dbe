/** What stands before and after an entry in its dataset, whatever was searched for. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Reels } from '../../parts/Reels.tsx';
import { contextQuery, type LogEntry } from '../../queries/logs.ts';
import { formatTime } from '../../text/instants.ts';
import { levelLooks } from './levels.ts';
import type { ChangeSearch } from './searching.ts';

const entriesAtFirst = 5;
const entriesMax = 100; // as many as the service tells

type EntryContextProps = { project: string; traceId: string; onChange: ChangeSearch };

export function EntryContext({ project, traceId, onChange }: EntryContextProps) {
  const [count, setCount] = useState(entriesAtFirst);
  const { data, error } = useQuery(contextQuery(project, traceId, count));
  const open = (entry: LogEntry) => onChange({ entry: entry.traceId });
  return (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">Around it</h3>
      {error && <Notice look="error">{error.message}</Notice>}
      {!data && !error && <Reels />}
      {data && (
        <ol className="overflow-hidden rounded-lg border border-line">
          {data.before.map(entry => (
            <Neighbour key={entry.traceId} entry={entry} onOpen={() => open(entry)} />
          ))}
          <li aria-current="true" className="border-l-[3px] border-accent bg-well px-2 py-1.5 text-[0.8rem]">
            <span className="line-clamp-2 wrap-anywhere">{data.entry.body || 'No text'}</span>
          </li>
          {data.after.map(entry => (
            <Neighbour key={entry.traceId} entry={entry} onOpen={() => open(entry)} />
          ))}
        </ol>
      )}
      {data && count < entriesMax && (
        <Button
          look="quiet"
          size="small"
          className="justify-self-start"
          onClick={() => setCount(Math.min(entriesMax, count * 4))}
        >
          More around it
        </Button>
      )}
    </section>
  );
}

function Neighbour({ entry, onOpen }: { entry: LogEntry; onOpen: () => void }) {
  const { level, timestamp, body } = entry;
  return (
    <li className="border-b border-line/55 last:border-0">
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full items-baseline gap-2 px-2 py-1.5 text-left text-[0.8rem] hover:bg-ink/4"
      >
        <time
          dateTime={timestamp}
          title={timestamp}
          className="font-mono text-[0.72rem] text-muted tabular-nums"
        >
          {formatTime(timestamp)}
        </time>
        <span className={`w-9 shrink-0 font-mono text-[0.72rem] ${levelLooks[level].text}`}>{level}</span>
        <span className="min-w-0 truncate">{body || 'No text'}</span>
      </button>
    </li>
  );
}
