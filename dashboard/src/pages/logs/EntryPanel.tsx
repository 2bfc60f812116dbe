/** One entry, whole: its text, its metadata, and what happened around it. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { FilterLink } from '../../parts/FilterLink.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Reels } from '../../parts/Reels.tsx';
import { entryQuery, type LogEntry } from '../../queries/logs.ts';
import { formatDayTime } from '../../text/instants.ts';
import { EntryContext } from './EntryContext.tsx';
import { levelLooks } from './levels.ts';
import { Marked } from './Marked.tsx';
import { metadataKey } from './search.ts';
import type { ChangeSearch } from './searching.ts';

type EntryPanelProps = {
  project: string;
  traceId: string;
  /** What is searched for. */
  terms: readonly string[];
  /** Where the list has it already. */
  known: LogEntry | null;
  onChange: ChangeSearch;
};

export function EntryPanel({ project, traceId, terms, known, onChange }: EntryPanelProps) {
  const { data: asked, error } = useQuery({ ...entryQuery(project, traceId), enabled: known === null });
  const entry = known ?? asked;
  const closeButton = useFocusWhenCovering();
  const close = () => onChange({ entry: undefined });
  useEscapeKey(close);
  return (
    <aside
      aria-label="Entry"
      className="flex flex-col overflow-hidden border-line bg-panel phone:fixed phone:inset-0 phone:z-20 md:max-[90rem]:absolute
        md:max-[90rem]:inset-y-0 md:max-[90rem]:right-0 md:max-[90rem]:w-108 md:max-[90rem]:shadow-float md:rounded-xl md:border
        min-[90rem]:sticky min-[90rem]:top-4 min-[90rem]:max-h-[calc(100dvh-2rem)] min-[90rem]:shadow-panel"
    >
      <header className="flex items-center justify-between gap-3 border-b border-line py-2 pr-2 pl-4">
        <h2 className="mr-auto font-semibold tracking-tight">Entry</h2>
        <CopyButton text={window.location.href} label="Copy link" showLabel />
        <button
          ref={closeButton}
          type="button"
          aria-label="Close the entry"
          onClick={close}
          className="grid size-8 place-items-center rounded-lg text-muted hover:bg-ink/6 hover:text-ink"
        >
          <Icon name="cross" />
        </button>
      </header>
      <div className="grid min-h-0 gap-5 overflow-y-auto px-4 py-4">
        {error && <Notice look="error">{error.message}</Notice>}
        {entry ? (
          <>
            <EntryText entry={entry} terms={terms} onChange={onChange} />
            <MetadataTable metadata={entry.metadata} onChange={onChange} />
            <EntryContext project={project} traceId={traceId} onChange={onChange} />
          </>
        ) : (
          !error && <Reels />
        )}
      </div>
    </aside>
  );
}

/** On a phone the panel covers the list: the focus comes along, and goes back to the page with it. */
function useFocusWhenCovering() {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!window.matchMedia('(width < 48rem)').matches) return;
    const before = document.activeElement;
    button.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return button;
}

/** Wherever the focus is, but not where Escape has a meaning of its own. */
function useEscapeKey(onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      const isInFront = document.querySelector('[role=menu], [role=dialog], [role=alertdialog]') !== null;
      if (event.key === 'Escape' && !isTyping && !isInFront) latest.current();
    };
    // Before what stands in front hears it and goes.
    document.addEventListener('keydown', listen, { capture: true });
    return () => document.removeEventListener('keydown', listen, { capture: true });
  }, []);
}

type EntryTextProps = { entry: LogEntry; terms: readonly string[]; onChange: ChangeSearch };

function EntryText({ entry, terms, onChange }: EntryTextProps) {
  const { level, body, timestamp, resource, traceId, parentId } = entry;
  return (
    <div className="grid gap-3">
      <p className="flex flex-wrap items-baseline justify-between gap-2 font-mono text-[0.8rem]">
        <span className={`font-semibold ${levelLooks[level].text}`}>{level}</span>
        <time dateTime={timestamp} className="text-muted tabular-nums">
          {formatDayTime(timestamp)}
          {timestamp.slice(19, 23)}
        </time>
      </p>
      <div className="relative rounded-lg border border-line bg-well/60">
        <pre className="max-h-96 overflow-auto py-2.5 pr-11 pl-3 font-mono text-[0.8rem] leading-relaxed whitespace-pre-wrap wrap-anywhere">
          {body ? <Marked text={body} terms={terms} /> : <span className="text-muted">No text</span>}
        </pre>
        <span className="absolute top-1 right-1">
          <CopyButton text={body} label="Copy the text" />
        </span>
      </div>
      <dl className="grid gap-1 text-sm">
        {resource && (
          <Property name="resource">
            <FilterLink label={`Only the resource ${resource}`} onClick={() => onChange({ resource })}>
              {resource}
            </FilterLink>
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
    </div>
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

function MetadataTable({ metadata, onChange }: Pick<LogEntry, 'metadata'> & { onChange: ChangeSearch }) {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">Metadata</h3>
      <dl className="divide-y divide-line overflow-hidden rounded-lg border border-line font-mono text-[0.78rem]">
        {pairs.map(([path, value]) => (
          <div
            key={path}
            className="grid grid-cols-[minmax(5rem,2fr)_3fr_auto] items-start gap-2 py-1 pr-1 pl-2.5"
          >
            <dt className="py-1 wrap-anywhere text-muted">{path}</dt>
            <dd className="max-h-40 overflow-auto py-1 whitespace-pre-wrap wrap-anywhere">{value}</dd>
            <button
              type="button"
              aria-label={`Only entries with this ${path}`}
              title={`Only entries with this ${path}`}
              onClick={() => onChange({ [metadataKey(path)]: value })}
              className="grid size-6 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
            >
              <Icon name="funnel" className="size-3" />
            </button>
          </div>
        ))}
      </dl>
    </section>
  );
}
