/** One entry, whole: its text, its metadata, and what happened around it. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { isCovered } from '../../parts/pageKeys.ts';
import { Reels } from '../../parts/Reels.tsx';
import { entryQuery, type LogEntry } from '../../queries/logs.ts';
import { EntryContext } from './EntryContext.tsx';
import { EntryText } from './EntryText.tsx';
import { MetadataTable } from './MetadataTable.tsx';
import { PanelEdge, usePanelWidth } from './PanelEdge.tsx';
import { roomyQuery } from './screen.ts';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './searching.ts';

type EntryPanelProps = {
  project: string;
  traceId: string;
  search: LogSearch;
  /** What is searched for. */
  terms: readonly string[];
  /** Where the list has it already. */
  known: LogEntry | null;
  onChange: ChangeSearch;
  onAround: (entry: LogEntry) => void;
};

export function EntryPanel(props: EntryPanelProps) {
  const { project, traceId, search, terms, known, onChange, onAround } = props;
  const { data: asked, error } = useQuery({ ...entryQuery(project, traceId), enabled: known === null });
  const entry = known ?? asked;
  const closeButton = useFocusWhenCovering();
  const width = usePanelWidth();
  const close = () => onChange({ entry: undefined });
  useEscapeKey(close);
  return (
    <aside
      aria-label="Entry"
      style={width.style}
      className="flex flex-col border-line bg-panel max-lg:fixed max-lg:inset-y-0 max-lg:right-0 max-lg:z-20 max-lg:w-[min(100%,40rem)]
        max-lg:shadow-float lg:relative lg:h-full lg:w-(--panel-width) lg:shrink-0 lg:rounded-xl lg:border lg:shadow-panel"
    >
      <PanelEdge {...width} />
      <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 className="mr-auto font-semibold tracking-tight">Entry</h2>
        {entry && <CopyButton text={JSON.stringify(entry, null, 2)} label="Copy as JSON" showLabel />}
        <CopyButton text={window.location.href} label="Copy link" showLabel />
        <button
          ref={closeButton}
          type="button"
          aria-label="Close the entry"
          onClick={close}
          className="grid size-8 shrink-0 place-items-center rounded-lg text-muted hover:bg-ink/6 hover:text-ink"
        >
          <Icon name="cross" />
        </button>
      </header>
      <div className="relative grid min-h-0 grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-4 py-4">
        {error && <Notice look="error">{error.message}</Notice>}
        {entry ? (
          <>
            <EntryText entry={entry} terms={terms} search={search} onChange={onChange} />
            <MetadataTable metadata={entry.metadata} search={search} onChange={onChange} />
            <EntryContext project={project} traceId={traceId} onChange={onChange} onAround={onAround} />
          </>
        ) : (
          !error && <Reels />
        )}
      </div>
    </aside>
  );
}

/** Where the panel covers the list, the focus comes along, and goes back to the page with it. */
function useFocusWhenCovering() {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (window.matchMedia(roomyQuery).matches) return;
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
      if (event.key === 'Escape' && !isTyping && !isCovered()) latest.current();
    };
    // Before what stands in front hears it and goes.
    document.addEventListener('keydown', listen, { capture: true });
    return () => document.removeEventListener('keydown', listen, { capture: true });
  }, []);
}
