/** Keyboard control of the file list. */
import type { KeyboardEvent } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import type { Selection } from './selection.ts';

export type KeyActions = {
  onOpen: (id: string) => void;
  /** Deletes the selection, or else the focused file. null if the user may only view. */
  onDelete: (() => void) | null;
  onRename: (() => void) | null;
};

type Keys = KeyActions & { files: readonly FileRecord[]; selection: Selection };

/** Moves by as many columns as the list shows at its width. */
export function handleListKey(event: KeyboardEvent<HTMLElement>, keys: Keys): void {
  if (event.target !== event.currentTarget || event.altKey) return;
  const columns = countColumns(event.currentTarget);
  const action = event.ctrlKey || event.metaKey ? findHeld(event, keys) : findPlain(event, keys, columns);
  if (action === null) return;
  event.preventDefault();
  action();
}

function findHeld({ key }: KeyboardEvent, { selection }: Keys): (() => void) | null {
  if (key.toLowerCase() === 'a') return selection.chooseAll;
  const { active } = selection;
  return key === ' ' && active !== null ? () => selection.toggle(active) : null;
}

function findPlain(event: KeyboardEvent, keys: Keys, columns: number): (() => void) | null {
  const { files, selection, onOpen, onDelete, onRename } = keys;
  const { active } = selection;
  const at = files.findIndex(({ id }) => id === active);
  const target = findTarget(event.key, at, { columns, length: files.length });
  const next = target === null ? undefined : files[Math.max(0, Math.min(files.length - 1, target))];
  if (next) return () => (event.shiftKey ? selection.extend(next.id) : selection.move(next.id));
  switch (event.key) {
    case ' ':
      return active === null ? null : () => selection.toggle(active);
    case 'Enter':
      return active === null ? null : () => onOpen(active);
    case 'Escape':
      return selection.chosen.size > 0 || selection.isChoosing ? selection.clear : null;
    case 'Delete':
      return onDelete;
    case 'F2':
      return onRename;
    default:
      return null;
  }
}

function findTarget(
  key: string,
  at: number,
  { columns, length }: { columns: number; length: number },
): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    // At the edge, stays instead of moving sideways.
    ArrowDown: at + columns < length ? at + columns : at,
    ArrowUp: at - columns >= 0 ? at - columns : at,
    Home: 0,
    End: length - 1,
    PageDown: at + columns * 4,
    PageUp: at - columns * 4,
  };
  return steps[key] ?? null;
}

function countColumns(list: HTMLElement): number {
  const { gridTemplateColumns } = getComputedStyle(list);
  return gridTemplateColumns === 'none' ? 1 : gridTemplateColumns.split(' ').length;
}
