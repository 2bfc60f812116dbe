/** Entries whose text is longer than their line: what is said of the rest, and which of them are open in place. */
import { type KeyboardEvent, useCallback, useState } from 'react';
import { findJson } from '../../../format/json.ts';
import { isGap, type Row } from '../results.ts';

export type Unfolding = {
  isOpen: (traceId: string) => boolean;
  toggle: (traceId: string) => void;
  handleKey: (event: KeyboardEvent) => boolean;
};

/** `+2 lines`, `JSON`; null: all of the text stands on its line. */
export function describeRest(body: string): string | null {
  const more = body.trimEnd().split('\n').length - 1;
  if (more > 0) return more === 1 ? '+1 line' : `+${more} lines`;
  return findJson(body) === null ? null : 'JSON';
}

/** The whole text in lines; JSON is indented. */
export function writeWhole(body: string): string {
  const found = body.includes('\n') ? null : findJson(body);
  return found === null ? body : `${found.before}${JSON.stringify(found.value, null, 2)}`;
}

/** Right opens the active entry in place, left closes it. */
export function useUnfolding(rows: readonly Row[], active: number | null): Unfolding {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((traceId: string) => {
    setOpen(before => {
      const after = new Set(before);
      if (!after.delete(traceId)) after.add(traceId);
      return after;
    });
  }, []);
  const isOpen = (traceId: string) => open.has(traceId);
  return {
    isOpen,
    toggle,
    handleKey: event => {
      const row = active === null ? undefined : rows[active];
      const isMeant = event.key === 'ArrowRight' || event.key === 'ArrowLeft';
      if (!isMeant || row === undefined || isGap(row) || describeRest(row.body) === null) return false;
      event.preventDefault();
      if (isOpen(row.traceId) !== (event.key === 'ArrowRight')) toggle(row.traceId);
      return true;
    },
  };
}
