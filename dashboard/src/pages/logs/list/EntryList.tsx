/** Lists entries. Renders only visible rows; keys move through all of them, and open their value menus. */
import { useId, useMemo, useRef } from 'react';
import { MenuAt } from '../../../ui/Menu.tsx';
import { listEntryFields } from '../columns.ts';
import { isGap, keyOfRow, type Row } from '../results.ts';
import type { LogSearch } from '../search.ts';
import { findSharedFields, type SharedFields } from '../sharedFields.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { EntryActions, ValueActions } from '../ValueActions.tsx';
import type { View } from '../view.ts';
import { useColumnWidths } from './columnWidths.ts';
import { EntryLine, GapLine } from './EntryLine.tsx';
import { useKeyboardNavigation } from './keyboardNavigation.ts';
import { ListHeader } from './ListHeader.tsx';
import { type Sought, showInMiddle, useLines, useLinesInTurns, useReveal } from './lineLayout.ts';
import { type Unfolding, useUnfolding } from './unfolding.ts';
import { ValueHandle } from './ValueHandle.tsx';
import { useValueMenu } from './valueMenu.ts';

type EntryListProps = {
  project: string;
  rows: readonly Row[];
  /** Search terms to highlight. */
  terms: readonly string[];
  search: LogSearch;
  view: View;
  onChange: ChangeSearch;
  /** Counts responses, even those without new rows. */
  answers: number;
  openEntry: string | null;
  onOpen: (traceId: string | null) => void;
  onLoadGap: () => void;
  sought: Sought;
  /** Loads more; null if there is no more. */
  onBelow: (() => void) | null;
  onAbove: (() => void) | null;
  /** Jumps to the end of the search; null if the list contains it. */
  onFirst: (() => void) | null;
  onLast: (() => void) | null;
};

export function EntryList(props: EntryListProps) {
  const { rows, search, view, onChange, openEntry, onOpen, onLoadGap, sought, onFirst, onLast } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const header = useRef<HTMLDivElement>(null);
  const name = useId();
  const laidOut = useLines({ ...props, ...view, scroller });
  const { virtual } = laidOut;
  const widths = useColumnWidths(rows, view);
  const shared = useSharedFields(rows, laidOut.isNarrow);
  const open = (row: Row | undefined) => {
    if (row === undefined) onOpen(null);
    else if (isGap(row)) onLoadGap();
    else onOpen(row.traceId);
  };
  const reach = virtual.scrollToIndex;
  const walk = useKeyboardNavigation({ rows, openEntry, open, reach, onFirst, onLast });
  const { active, setActive } = walk;
  useReveal({ sought, rows, isWrapped: view.isWrapped, laidOut }, index => {
    showInMiddle(scroller.current, laidOut, index);
    setActive(index);
  });
  const onPress = (index: number, row: Row | undefined) => {
    setActive(index);
    open(row);
  };
  const menu = useValueMenu(rows, active, name);
  const unfolding = useUnfolding(rows, active);
  const inSight = { laidOut, name, active, unfolding, shared };
  return (
    <div
      style={widths}
      className="relative flex flex-col overflow-hidden rounded-xl border border-line bg-panel shadow-panel max-lg:h-[max(24rem,calc(100dvh-24.2rem))] lg:min-h-0 lg:flex-1"
    >
      <ListHeader view={view} search={search} onChange={onChange} shared={shared.pairs} place={header} />
      <div
        ref={scroller}
        id="entries"
        role="listbox"
        aria-label={view.order === 'asc' ? 'Entries, oldest first' : 'Entries, newest first'}
        aria-activedescendant={active === null ? undefined : `${name}-${keyOfRow(rows[active])}`}
        tabIndex={0}
        onKeyDown={event => menu.handleKey(event) || unfolding.handleKey(event) || walk.handleKey(event)}
        onContextMenu={menu.handleContextMenu}
        onScroll={({ currentTarget }) => header.current?.scrollTo({ left: currentTarget.scrollLeft })}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain outline-offset-[-2px] md:[scrollbar-gutter:stable]"
      >
        <div className="relative md:min-w-(--lines-min)" style={{ height: virtual.getTotalSize() }}>
          <LinesInSight {...props} {...inSight} onPress={onPress} />
        </div>
      </div>
      <ValueHandle scroller={scroller} onOpen={menu.openAt} />
      <MenuAt anchor={menu.shown?.anchor ?? null} onClose={menu.close} returnsTo={scroller}>
        {menu.shown && <ShownActions {...menu.shown} search={search} onChange={onChange} />}
      </MenuAt>
    </div>
  );
}

type ShownActionsProps = NonNullable<ReturnType<typeof useValueMenu>['shown']> &
  Pick<EntryListProps, 'search' | 'onChange'>;

/** What the menu offers for a value; without one, for the whole entry. */
function ShownActions({ value, entry, search, onChange }: ShownActionsProps) {
  if (value) return <ValueActions {...value} search={search} onChange={onChange} />;
  return <EntryActions values={listEntryFields(entry)} search={search} onChange={onChange} />;
}

/**
 * Keeps the same object while its content is equal, so that rows do not render again. In a narrow list no header names the values, so the rows show
 * them.
 */
function useSharedFields(rows: readonly Row[], isNarrow: boolean): SharedFields {
  const found = useMemo(() => {
    const entries = rows.flatMap(row => (isGap(row) ? [] : [row]));
    return findSharedFields(entries, isNarrow ? Number.POSITIVE_INFINITY : undefined);
  }, [rows, isNarrow]);
  const key = JSON.stringify([found.dataset, found.pairs]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is found
  return useMemo(() => found, [key]);
}

type LinesInSightProps = Pick<EntryListProps, 'project' | 'rows' | 'terms' | 'view' | 'openEntry'> & {
  shared: SharedFields;
  laidOut: ReturnType<typeof useLines>;
  /** The list's id; each row derives its own from it. */
  name: string;
  active: number | null;
  /** undefined closes the open row. */
  onPress: (index: number, row: Row | undefined) => void;
  unfolding: Unfolding;
};

function LinesInSight({ laidOut, name, active, onPress, unfolding, ...props }: LinesInSightProps) {
  const { project, rows, terms, view, openEntry, shared } = props;
  const { virtual, isNarrow, pixels } = laidOut;
  return useLinesInTurns(laidOut).map(({ index, start, key }) => {
    const row = rows[index];
    if (row === undefined) return null;
    const isOpen = !isGap(row) && row.traceId === openEntry;
    const isUnfolded = !view.isWrapped && !isGap(row) && unfolding.isOpen(row.traceId);
    const isWrapped = view.isWrapped || isUnfolded;
    const place = { index, startPixels: start, heightPixels: pixels, isWrapped };
    const option = {
      id: `${name}-${keyOfRow(row)}`,
      isOpen,
      isActive: index === active,
      place: { ...place, measure: virtual.measureElement },
      onOpen: () => onPress(index, isOpen ? undefined : row),
    };
    if (isGap(row)) return <GapLine key={key} gap={row} {...option} />;
    const common = { project, terms, view, isNarrow, shared };
    const folding = { isUnfolded, onUnfold: unfolding.toggle };
    return <EntryLine key={key} entry={row} {...common} {...folding} {...option} />;
  });
}
