/** Lays out the visible rows of the list, and keeps the reader's place when rows are added. */
import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useDeferredValue, useEffect, useLayoutEffect, useRef } from 'react';
import { keyOfRow, type Row } from '../results.ts';
import { narrowQuery, useMediaQuery } from '../viewport.ts';

const linePixels = { wide: { usual: 30, compact: 24 }, narrow: { usual: 54, compact: 46 } };
const overscan = { firstTurn: 2, secondTurn: 15 };
const settlingMs = 1_000;
const endDistance = 30; // loads more this many rows before an end

/** The entry that the list opens around; scrolled to once. */
export type Sought = { sought: string | null } | null;

type LinesProps = {
  scroller: RefObject<HTMLDivElement | null>;
  rows: readonly Row[];
  /** Counts responses, even those without new rows. */
  answers: number;
  sought: Sought;
  isCompact: boolean;
  isWrapped: boolean;
  /** Loads more; null if there is no more. */
  onBelow: (() => void) | null;
  onAbove: (() => void) | null;
};
type Lines = { virtual: Virtualizer<HTMLDivElement, Element>; isNarrow: boolean; pixels: number };

/** Lays out the visible rows, and loads more near an end. */
export function useLines(props: LinesProps): Lines {
  const { scroller, rows, answers, sought, isCompact, isWrapped, onBelow, onAbove } = props;
  const isNarrow = useMediaQuery(narrowQuery);
  const pixels = linePixels[isNarrow ? 'narrow' : 'wide'][isCompact ? 'compact' : 'usual'];
  // The virtualizer measures all rows again whenever this function is another one.
  const getItemKey = useCallback((index: number) => keyOfRow(rows[index]), [rows]);
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => pixels,
    getItemKey,
    overscan: overscan.secondTurn,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a change of height, lines are laid out again below the same first one
  useLayoutEffect(() => {
    const { scrollTop = 0 } = scroller.current ?? {};
    const first = virtual.getVirtualItemForOffset(scrollTop)?.index ?? 0;
    virtual.measure();
    if (scroller.current !== null && scrollTop > 0) scroller.current.scrollTop = first * pixels;
  }, [pixels, isWrapped]);
  useSteadyView(scroller, rows, { virtual, isHeld: sought !== null });
  const lines = virtual.getVirtualItems();
  const [firstLine, lastLine] = [lines.at(0)?.index ?? 0, lines.at(-1)?.index ?? 0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again only when an end comes nearer or moves
  useEffect(() => {
    if (lastLine >= rows.length - endDistance) onBelow?.();
    if (firstLine < endDistance) onAbove?.();
  }, [firstLine, lastLine, rows.length, answers, onBelow === null]);
  return { virtual, isNarrow, pixels };
}

/** Returns the visible rows, and those around them in a render that follows and that input may interrupt. */
export function useLinesInTurns({ virtual }: Lines): VirtualItem[] {
  const { range } = virtual;
  const settled = useDeferredValue(range, null);
  return virtual
    .getVirtualItems()
    .filter(
      ({ index }) => isNear(range, index, overscan.firstTurn) || isNear(settled, index, overscan.secondTurn),
    );
}

function isNear(range: Lines['virtual']['range'], index: number, lines: number): boolean {
  return range !== null && index >= range.startIndex - lines && index <= range.endIndex + lines;
}

/** Scrolls at once. The virtualizer's own scrolling takes some frames, and misses if rows are added above meanwhile. */
export function showInMiddle(scroller: HTMLElement | null, { virtual, pixels }: Lines, index: number): void {
  if (scroller === null) return;
  const { size } = virtual.measurementsCache[index] ?? { size: pixels };
  scroller.scrollTop = startOf(virtual, index, pixels) - (scroller.clientHeight - size) / 2;
}

function startOf(virtual: Lines['virtual'], index: number, pixels: number): number {
  return virtual.measurementsCache[index]?.start ?? index * pixels;
}

type Steadiness = { virtual: Lines['virtual']; isHeld: boolean };

/** Keeps the reader's place while rows arrive above; a new list starts at the top. */
function useSteadyView(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  { virtual, isHeld }: Steadiness,
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
      scroller.current.scrollTop += startOf(virtual, above, virtual.options.estimateSize(above));
  }, [rows, scroller, virtual, isHeld]);
}

type Revealing = Pick<LinesProps, 'sought' | 'rows' | 'isWrapped'> & { laidOut: Lines };

/** Calls `reveal` for the entry that the list opens around, when it is loaded. */
export function useReveal(
  { sought, rows, isWrapped, laidOut }: Revealing,
  reveal: (index: number) => void,
): void {
  const revealed = useRef<{ sought: Sought; until: number }>({ sought: null, until: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for what is sought, and while its place settles
  useLayoutEffect(() => {
    const isNew = sought !== revealed.current.sought;
    if (sought === null || (!isNew && performance.now() > revealed.current.until)) return;
    const index = rows.findIndex(row => keyOfRow(row) === sought.sought);
    if (index < 0) return;
    // Wrapped rows get measured once rendered, perhaps some time later, and then shift this one.
    if (isNew) revealed.current = { sought, until: performance.now() + (isWrapped ? settlingMs : 0) };
    const findPlace = () => startOf(laidOut.virtual, index, laidOut.pixels);
    let place = Number.NaN;
    const followPlace = () => {
      if (place !== findPlace()) reveal(index);
      place = findPlace();
      if (performance.now() < revealed.current.until) frame = requestAnimationFrame(followPlace);
    };
    let frame = 0;
    followPlace();
    return () => cancelAnimationFrame(frame);
  }, [sought, rows]);
}
