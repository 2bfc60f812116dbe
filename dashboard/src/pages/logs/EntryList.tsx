/** Entries as lines, newest first. Only those in sight are in the page; arrow keys walk through all of them. */
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { LogEntry } from '../../queries/logs.ts';
import { formatDayTime } from '../../text/instants.ts';
import { cutLine } from '../../text/terms.ts';
import { levelLooks } from './levels.ts';
import { Marked } from './Marked.tsx';

const linePixels = { wide: 30, narrow: 54 };
const overscan = 15;
const endDistance = 30; // lines before the end at which older ones are asked for
const pairsShownMax = 4;
const lineCharactersMax = 400; // more than the widest screen shows
const valueCharactersMax = 80;

type EntryListProps = {
  entries: readonly LogEntry[];
  /** What is searched for. */
  terms: readonly string[];
  isMore: boolean;
  openEntry: string | null;
  onOpen: (traceId: string | null) => void;
  onEnd: () => void;
};

export function EntryList({ entries, terms, isMore, openEntry, onOpen, onEnd }: EntryListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const name = useId();
  const [isNarrow] = useState(() => window.matchMedia('(width < 48rem)').matches);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? linePixels.narrow : linePixels.wide),
    getItemKey: index => entries[index]?.traceId ?? index,
    overscan,
  });
  useSteadyView(scroller, entries, isNarrow ? linePixels.narrow : linePixels.wide);
  const lines = virtual.getVirtualItems();
  const lastLine = lines.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again only when the end comes nearer or moves
  useEffect(() => {
    if (isMore && lastLine >= entries.length - endDistance) onEnd();
  }, [lastLine, entries.length, isMore]);
  const { active, handleKey, setActive } = useWalk({
    entries,
    openEntry,
    onOpen,
    reach: virtual.scrollToIndex,
  });
  const activeId = active === null ? undefined : `${name}-${entries[active]?.traceId}`;
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label="Entries, newest first"
      aria-activedescendant={activeId}
      tabIndex={0}
      onKeyDown={handleKey}
      className="h-[max(24rem,calc(100dvh-24.2rem))] overflow-y-auto overscroll-contain rounded-xl border border-line bg-panel shadow-panel"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {lines.map(({ index, start, size, key }) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <Line
              key={key}
              id={`${name}-${entry.traceId}`}
              entry={entry}
              terms={terms}
              isOpen={entry.traceId === openEntry}
              isActive={index === active}
              place={{ height: size, transform: `translateY(${start}px)` }}
              onOpen={() => {
                setActive(index);
                onOpen(entry.traceId === openEntry ? null : entry.traceId);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Who has scrolled down goes on reading the same lines while others arrive above them. */
function useSteadyView(
  scroller: RefObject<HTMLDivElement | null>,
  entries: readonly LogEntry[],
  lineHeight: number,
): void {
  const first = useRef(entries[0]?.traceId);
  useLayoutEffect(() => {
    const above = entries.findIndex(({ traceId }) => traceId === first.current);
    first.current = entries[0]?.traceId;
    if (above > 0 && scroller.current && scroller.current.scrollTop > 0)
      scroller.current.scrollTop += above * lineHeight;
  }, [entries, scroller, lineHeight]);
}

type WalkProps = Pick<EntryListProps, 'entries' | 'openEntry' | 'onOpen'> & {
  reach: (index: number) => void;
};

/** Keys move the active line; an open panel goes along. */
function useWalk({ entries, openEntry, onOpen, reach }: WalkProps) {
  const [activeEntry, setActiveEntry] = useState(openEntry);
  const found = entries.findIndex(({ traceId }) => traceId === activeEntry);
  const active = found < 0 ? null : found;
  const setActive = (index: number) => setActiveEntry(entries[index]?.traceId ?? null);
  const walk = (to: number) => {
    const index = Math.min(Math.max(to, 0), entries.length - 1);
    setActive(index);
    reach(index);
    if (openEntry !== null) onOpen(entries[index]?.traceId ?? null);
  };
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => walk((active ?? -1) + 1),
    j: () => walk((active ?? -1) + 1),
    ArrowUp: () => walk((active ?? 1) - 1),
    k: () => walk((active ?? 1) - 1),
    PageDown: () => walk((active ?? -1) + 15),
    PageUp: () => walk((active ?? 0) - 15),
    Home: () => walk(0),
    End: () => walk(entries.length - 1),
    Enter: () => active !== null && onOpen(entries[active]?.traceId ?? null),
    Escape: () => onOpen(null),
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  };
  return { active, handleKey, setActive };
}

type LineProps = {
  id: string;
  entry: LogEntry;
  terms: readonly string[];
  isOpen: boolean;
  isActive: boolean;
  place: { height: number; transform: string };
  onOpen: () => void;
};

function Line({ id, entry, terms, isOpen, isActive, place, onOpen }: LineProps) {
  const { level, resource, body, timestamp } = entry;
  const looks = levelLooks[level];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which line is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for all of its lines
    <div
      id={id}
      role="option"
      aria-selected={isOpen}
      onClick={onOpen}
      style={place}
      className={`absolute inset-x-0 top-0 grid cursor-pointer content-center gap-x-3 border-b border-line/55 pr-3 pl-3.5 text-[0.82rem]
        leading-tight hover:bg-well md:grid-cols-[10.4rem_2.8rem_minmax(0,1fr)] md:items-center
        ${isOpen ? 'bg-well' : ''} ${isActive ? 'outline-1 -outline-offset-1 outline-edge' : ''}`}
    >
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-[3px] ${looks.fill}`} />
      <span className="flex items-baseline gap-3 md:contents">
        <time
          dateTime={timestamp}
          title={timestamp}
          className="font-mono text-[0.74rem] whitespace-nowrap text-muted tabular-nums"
        >
          {formatDayTime(timestamp)}
          <span className="opacity-80">{timestamp.slice(19, 23)}</span>
        </time>
        <span className={`font-mono text-[0.74rem] ${looks.text}`}>{level}</span>
      </span>
      <span className="truncate">
        {resource && <span className="mr-2.5 font-medium">{resource}</span>}
        {body ? (
          <Marked text={cutLine(body, terms, lineCharactersMax)} terms={terms} />
        ) : (
          <span className="text-muted">No text</span>
        )}
        <Pairs metadata={entry.metadata} terms={terms} />
      </span>
    </div>
  );
}

function Pairs({ metadata, terms }: Pick<LogEntry, 'metadata'> & Pick<LineProps, 'terms'>) {
  const pairs = Object.entries(metadata).slice(0, pairsShownMax);
  if (pairs.length === 0) return null;
  const texts = pairs.map(([path, value]) => `${path}=${cutLine(value, terms, valueCharactersMax)}`);
  return (
    <span className="ml-3 font-mono text-[0.74rem] text-muted">
      <Marked text={texts.join(' ')} terms={terms} />
    </span>
  );
}
