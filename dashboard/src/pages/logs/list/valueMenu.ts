/** Tracks the open menu of values: for one value, or for all of the active line. */
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import type { LogEntry } from '../../../queries/logs.ts';
import { readField } from '../columns.ts';
import { isGap, keyOfRow, type Row } from '../results.ts';
import type { NamedValue } from '../ValueActions.tsx';

type ShownMenu = {
  anchor: { getBoundingClientRect: () => DOMRect };
  entry: LogEntry;
  /** null: all of the entry's. */
  value: NamedValue | null;
};

/** `name`: of the list. */
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
    /** Also opens by the menu key, whose target is the list. */
    handleContextMenu: (event: MouseEvent) => {
      const { target } = event;
      if (!(target instanceof Element)) return;
      const value = target.closest<HTMLElement>('[data-field]');
      const isOpened = value ? openAt(value) : target === event.currentTarget && openActive();
      if (isOpened) event.preventDefault();
    },
  };
}

/** The line may be laid out anew while the menu is open. */
function freeze(element: Element): ShownMenu['anchor'] {
  const place = element.getBoundingClientRect();
  return { getBoundingClientRect: () => place };
}
