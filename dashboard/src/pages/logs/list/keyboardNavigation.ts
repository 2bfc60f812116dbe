/** Moves the active row by keyboard; an open panel follows. */
import { type KeyboardEvent, useEffect, useState } from 'react';
import { isGap, keyOfRow, type Row } from '../results.ts';

const pageLines = 15;

type KeyboardNavigationProps = {
  rows: readonly Row[];
  openEntry: string | null;
  /** undefined closes the panel. */
  open: (row: Row | undefined) => void;
  reach: (index: number) => void;
  /** Jumps to the first entry if the list lacks it; null if the list has it. */
  onFirst: (() => void) | null;
  onLast: (() => void) | null;
};

export function useKeyboardNavigation({
  rows,
  openEntry,
  open,
  reach,
  onFirst,
  onLast,
}: KeyboardNavigationProps) {
  const [activeKey, setActiveKey] = useState(openEntry);
  const found = rows.findIndex(row => keyOfRow(row) === activeKey);
  const active = found < 0 ? null : found;
  const setActive = (index: number) => setActiveKey(keyOfRow(rows[index]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: after an entry is opened elsewhere, the keys continue from there
  useEffect(() => {
    if (openEntry === null) return;
    setActiveKey(openEntry);
    const index = rows.findIndex(row => keyOfRow(row) === openEntry);
    if (index >= 0) reach(index);
  }, [openEntry]);
  const walk = (to: number) => {
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    const row = rows[index];
    setActive(index);
    reach(index);
    if (openEntry !== null && row !== undefined && !isGap(row)) open(row);
  };
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => walk((active ?? -1) + 1),
    j: () => walk((active ?? -1) + 1),
    ArrowUp: () => walk((active ?? 1) - 1),
    k: () => walk((active ?? 1) - 1),
    PageDown: () => walk((active ?? -1) + pageLines),
    PageUp: () => walk((active ?? 0) - pageLines),
    Home: onFirst ?? (() => walk(0)),
    End: onLast ?? (() => walk(rows.length - 1)),
    Enter: () => active !== null && open(rows[active]),
    Escape: () => open(undefined),
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  };
  return { active, handleKey, setActive };
}
