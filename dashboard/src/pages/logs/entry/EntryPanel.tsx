/** Shows a whole entry beside the list or over it: text, metadata, parents, children and context. */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { entryQuery, type LogEntry } from '../../../queries/logs.ts';
import { Button } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Drawer } from '../../../ui/dialogs/Drawer.tsx';
import { useDeferredRest } from '../../../ui/hooks/useDeferredRest.ts';
import { isCovered } from '../../../ui/hooks/usePageKeys.ts';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import { isGap, keyOfRow, type Row } from '../results.ts';
import { type LogSearch, pinTime, writeSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useMediaQuery, wideQuery } from '../viewport.ts';
import { type ContextField, EntryContext } from './EntryContext.tsx';
import { EntryFiles } from './EntryFiles.tsx';
import { EntryText } from './EntryText.tsx';
import { HourBefore } from './HourBefore.tsx';
import { MetadataTable } from './MetadataTable.tsx';
import { PanelEdge, usePanelWidth } from './PanelEdge.tsx';
import { Trace } from './Trace.tsx';

type EntryPanelProps = {
  project: string;
  traceId: string;
  search: LogSearch;
  /** Search terms to highlight. */
  terms: readonly string[];
  /** The rows to step through. */
  rows: readonly Row[];
  /** The entry, if the list already has it. */
  known: LogEntry | null;
  onChange: ChangeSearch;
  onAround: (entry: LogEntry) => void;
};

export function EntryPanel(props: EntryPanelProps) {
  const { project, traceId, rows, known, onChange } = props;
  const { data: asked, error } = useQuery({ ...entryQuery(project, traceId), enabled: known === null });
  const entry = known ?? asked ?? null;
  const [field, setField] = useState('');
  const isBeside = useMediaQuery(wideQuery);
  const index = rows.findIndex(row => keyOfRow(row) === traceId);
  const find = (step: 1 | -1) => {
    const row = index < 0 ? undefined : rows[index + step];
    return row === undefined || isGap(row) ? null : row.traceId;
  };
  const go = (next: string | null) => next !== null && onChange({ entry: next });
  const close = () => onChange({ entry: undefined });
  const steps: Readonly<Record<string, () => void>> = { j: () => go(find(1)), k: () => go(find(-1)) };
  const walk = (event: KeyboardEvent) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) steps[event.key]?.();
  };
  const body = (
    <>
      <PanelHead
        search={props.search}
        entry={entry}
        above={find(-1)}
        below={find(1)}
        onGo={go}
        onClose={close}
      />
      {/* Scrolls to the top for another entry. */}
      <PanelBody key={traceId} {...props} entry={entry} error={error} field={field} setField={setField} />
    </>
  );
  if (isBeside) return <Beside onClose={close}>{body}</Beside>;
  return (
    <Drawer label="Entry" onClose={close} findReturn={findList} onKeyDown={walk}>
      {body}
    </Drawer>
  );
}

/** Returns the list, which keeps the focus on the entry's row. */
function findList(): HTMLElement | null {
  return document.getElementById('entries');
}

type PanelHeadProps = {
  search: LogSearch;
  entry: LogEntry | null;
  above: string | null;
  below: string | null;
  onGo: (traceId: string | null) => void;
  onClose: () => void;
};

function PanelHead({ search, entry, above, below, onGo, onClose }: PanelHeadProps) {
  return (
    <header className="flex items-center gap-1 border-b border-line py-2 pr-2 pl-4">
      <h2 className="mr-auto font-semibold tracking-tight phone:sr-only">Entry</h2>
      <Act icon="up" label="Entry above" isOff={above === null} onClick={() => onGo(above)} />
      <Act icon="down" label="Next entry" isOff={below === null} onClick={() => onGo(below)} />
      {entry && <CopyButton text={JSON.stringify(entry, null, 2)} label="Copy as JSON" showLabel />}
      <CopyButton text={() => composeLink(search)} label="Copy link" showLabel />
      <span className="phone:ml-auto">
        <Act icon="cross" label="Close the entry" onClick={onClose} />
      </span>
    </header>
  );
}

/** Pins the time range, so that the link shows the same entries later. */
function composeLink(search: LogSearch): string {
  const { origin, pathname } = window.location;
  return `${origin}${pathname}?${writeSearch(pinTime(search, Date.now()))}`;
}

type ActProps = { icon: IconName; label: string; isOff?: boolean; onClick: () => void };

function Act({ icon, label, isOff = false, onClick }: ActProps) {
  return (
    <Button look="quiet" size="icon" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
      <Icon name={icon} />
    </Button>
  );
}

type PanelBodyProps = EntryPanelProps & ContextField & { entry: LogEntry | null; error: Error | null };

function PanelBody({ entry, error, ...props }: PanelBodyProps) {
  const { project, search, terms, onChange, onAround, field, setField } = props;
  const rendersRest = useDeferredRest();
  return (
    <div className="relative grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-4 py-4">
      {error && <Notice look="error">{error.message}</Notice>}
      {entry ? (
        <>
          <EntryText project={project} entry={entry} terms={terms} search={search} onChange={onChange} />
          {rendersRest && (
            <>
              <HourBefore project={project} entry={entry} />
              <EntryFiles project={project} entry={entry} />
              <MetadataTable
                project={project}
                search={search}
                onChange={onChange}
                metadata={entry.metadata}
              />
              <Trace project={project} entry={entry} onChange={onChange} />
              <EntryContext
                project={project}
                entry={entry}
                onChange={onChange}
                onAround={onAround}
                field={field}
                setField={setField}
              />
            </>
          )}
        </>
      ) : (
        !error && <Spinner />
      )}
    </div>
  );
}

function Beside({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const width = usePanelWidth();
  const place = useRef<HTMLElement>(null);
  useEscapeKey(onClose);
  useLayoutEffect(() => {
    const panel = place.current;
    // Focus inside the panel returns to the list; focus elsewhere stays.
    return () => {
      if (panel?.contains(document.activeElement)) findList()?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      ref={place}
      aria-label="Entry"
      style={width.style}
      className="relative flex h-full w-(--panel-width) shrink-0 flex-col rounded-xl border border-line bg-panel shadow-panel"
    >
      <PanelEdge {...width} />
      {children}
    </aside>
  );
}

/** Handles Escape wherever the focus is, unless a field or dialog uses it. */
function useEscapeKey(onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key === 'Escape' && !isTyping && !isCovered()) latest.current();
    };
    // Runs before a dialog in front handles the key and closes.
    document.addEventListener('keydown', listen, { capture: true });
    return () => document.removeEventListener('keydown', listen, { capture: true });
  }, []);
}
