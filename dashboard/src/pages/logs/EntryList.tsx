/** Entries as lines, newest first. Only those in sight are in the page; arrow keys walk through all of them. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { isOfYear } from '../../text/instants.ts';
import { EntryLine, GapLine } from './EntryLine.tsx';
import { isGap, keyOfRow, type Row } from './results.ts';
import { narrowQuery, useScreen } from './screen.ts';
import { useWalk } from './walk.ts';

const linePixels = { wide: 30, narrow: 54 };
const overscan = 15;
const endDistance = 30; // lines before an end at which more are asked for

type EntryListProps = {
  rows: readonly Row[];
  /** What is searched for. */
  terms: readonly string[];
  /** Grows with every answer, also with one that brings no line. */
  answers: number;
  openEntry: string | null;
  onOpen: (traceId: string | null) => void;
  onLoadGap: () => void;
  /** What the list was begun around: comes into sight once. */
  sought: { sought: string | null } | null;
  /** More is asked for; null where there is none. */
  onOlder: (() => void) | null;
  onNewer: (() => void) | null;
  /** Shows the very end of the search; null where the list has it. */
  onNewest: (() => void) | null;
  onOldest: (() => void) | null;
  /** Several are searched, and each line says its own. */
  namesDatasets: boolean;
};

export function EntryList(props: EntryListProps) {
  const { rows, terms, openEntry, onOpen, onLoadGap, sought } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const name = useId();
  const virtual = useLines(scroller, props);
  const open = (row: Row | undefined) => {
    if (row === undefined) onOpen(null);
    else if (isGap(row)) onLoadGap();
    else onOpen(row.traceId);
  };
  const reach = virtual.scrollToIndex;
  const ends = { onFirst: props.onNewest, onLast: props.onOldest };
  const { active, handleKey, setActive } = useWalk({ rows, openEntry, open, reach, ...ends });
  useReveal(sought, rows, index => {
    showInMiddle(scroller.current, index, virtual.options.estimateSize(index));
    setActive(index);
  });
  const lines = virtual.getVirtualItems();
  const hasYears = lines.some(({ index }) => isOfOtherYear(rows[index]));
  return (
    <div
      ref={scroller}
      id="entries"
      role="listbox"
      aria-label="Entries, newest first"
      aria-activedescendant={active === null ? undefined : `${name}-${keyOfRow(rows[active])}`}
      tabIndex={0}
      onKeyDown={handleKey}
      className="overflow-y-auto overscroll-contain rounded-xl border border-line bg-panel shadow-panel max-lg:h-[max(24rem,calc(100dvh-24.2rem))] lg:min-h-0 lg:flex-1"
    >
      <div
        className={`relative ${hasYears ? '[--time:13.2rem]' : '[--time:10.4rem]'}`}
        style={{ height: virtual.getTotalSize() }}
      >
        {lines.map(({ index, start, size, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isOpen = !isGap(row) && row.traceId === openEntry;
          const option = {
            id: `${name}-${keyOfRow(row)}`,
            isOpen,
            isActive: index === active,
            place: { height: size, transform: `translateY(${start}px)` },
            onOpen: () => {
              setActive(index);
              open(isOpen ? undefined : row);
            },
          };
          if (isGap(row)) return <GapLine key={key} gap={row} {...option} />;
          return (
            <EntryLine key={key} entry={row} terms={terms} namesDataset={props.namesDatasets} {...option} />
          );
        })}
      </div>
    </div>
  );
}

/** Lays out the lines in sight, and asks for more where an end is near. */
function useLines(scroller: RefObject<HTMLDivElement | null>, props: EntryListProps) {
  const { rows, answers, sought, onOlder, onNewer } = props;
  const pixels = useScreen(narrowQuery) ? linePixels.narrow : linePixels.wide;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => pixels,
    getItemKey: index => keyOfRow(rows[index]),
    overscan,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines of another height are laid out anew
  useLayoutEffect(() => virtual.measure(), [pixels]);
  useSteadyView(scroller, rows, { linePixels: pixels, isHeld: sought !== null });
  const lines = virtual.getVirtualItems();
  const [firstLine, lastLine] = [lines.at(0)?.index ?? 0, lines.at(-1)?.index ?? 0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again only when an end comes nearer or moves
  useEffect(() => {
    if (lastLine >= rows.length - endDistance) onOlder?.();
    if (firstLine < endDistance) onNewer?.();
  }, [firstLine, lastLine, rows.length, answers, onOlder === null]);
  return virtual;
}

function isOfOtherYear(row: Row | undefined): boolean {
  return row !== undefined && !isGap(row) && !isOfYear(row.timestamp, Date.now());
}

/**
 * At once. The virtualizer's own way there goes on for some frames, and ends at another line when more lines come above
 * meanwhile.
 */
function showInMiddle(scroller: HTMLElement | null, index: number, linePixels: number): void {
  if (scroller === null) return;
  scroller.scrollTop = index * linePixels - (scroller.clientHeight - linePixels) / 2;
}

type Steadiness = { linePixels: number; isHeld: boolean };

/** Who has scrolled down goes on reading the same lines while others arrive above them; another list begins at its top. */
function useSteadyView(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  { linePixels, isHeld }: Steadiness,
): void {
  const first = useRef(keyOfRow(rows[0]));
  const wasHeld = useRef(isHeld);
  useLayoutEffect(() => {
    const isReleased = wasHeld.current && !isHeld;
    wasHeld.current = isHeld;
    const above = rows.findIndex(row => keyOfRow(row) === first.current);
    first.current = keyOfRow(rows[0]);
    if (scroller.current === null) return;
    if (above < 0 || isReleased) scroller.current.scrollTop = 0;
    else if (above > 0 && (isHeld || scroller.current.scrollTop > 0))
      scroller.current.scrollTop += above * linePixels;
  }, [rows, scroller, linePixels, isHeld]);
}

function useReveal(
  sought: EntryListProps['sought'],
  rows: readonly Row[],
  reveal: (index: number) => void,
): void {
  const revealed = useRef<EntryListProps['sought']>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is sought
  useLayoutEffect(() => {
    if (sought === null || sought === revealed.current) return;
    const index = rows.findIndex(row => keyOfRow(row) === sought.sought);
    if (index < 0) return;
    revealed.current = sought;
    reveal(index);
  }, [sought, rows]);
}
