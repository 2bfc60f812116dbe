/** Tracks the open value menu: for one value, or for all of the active row. */
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import type { LogEntry } from '../../../queries/logs.ts';
import { readField } from '../columns.ts';
import { isGap, keyOfRow, type Row } from '../results.ts';
import type { NamedValue } from '../ValueActions.tsx';

type ShownMenu = {
  anchor: { getBoundingClientRect: () => DOMRect };
  entry: LogEntry;
  /** null for all of the entry's values. */
  value: NamedValue | null;
};

/** `name`: the list's id. */
export function useValueMenu(rows: readonly Row[], active: number | null, name: string) {
  const [shown, setShown] = useState<ShownMenu | null>(null);
  const findEntry = (option: Element | null) => {
    const row = rows[Number(option?.getAttribute('data-index') ?? Number.NaN)];
    return row === undefined || isGap(row) ? null : row;
  };
  const openAt = (element: HTMLElement): boolean => {
    const [entry, field] = [findEntry(element.closest('[role=option]')), element.dataset.field ?? ''];
    const value = entry && readField(entry, field);
    if (entry === null || value === undefined || value === null) return false;
    setShown({ anchor: freeze(element), entry, value: { name: field, value } });
    return true;
  };
  const openActive = (): boolean => {
    const option = active === null ? null : document.getElementById(`${name}-${keyOfRow(rows[active])}`);
    const entry = findEntry(option);
    if (option === null || entry === null) return false;
    setShown({ anchor: freeze(option.querySelector('time') ?? option), entry, value: null });
    return true;
  };
  return {
    shown,
    openAt,
    close: () => setShown(null),
    handleKey: (event: KeyboardEvent): boolean => {
      if (event.key !== 'm' || event.ctrlKey || event.metaKey || event.altKey || !openActive()) return false;
      event.preventDefault();
      return true;
    },
    /** The menu key opens it too; its target is the list. */
    handleContextMenu: (event: MouseEvent) => {
      const { target } = event;
      if (!(target instanceof Element)) return;
      const value = target.closest<HTMLElement>('[data-field]');
      const isOpened = value ? openAt(value) : target === event.currentTarget && openActive();
      if (isOpened) event.preventDefault();
    },
  };
}

/** Copies the position, because the row may be laid out again while the menu is open. */
function freeze(element: Element): ShownMenu['anchor'] {
  const place = element.getBoundingClientRect();
  return { getBoundingClientRect: () => place };
}
