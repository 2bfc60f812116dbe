/** Describes text that does not fit its row, and tracks which rows are unfolded. */
import { type KeyboardEvent, useCallback, useState } from 'react';
import { findJson } from '../../../format/json.ts';
import { isGap, type Row } from '../results.ts';

export type Unfolding = {
  isOpen: (traceId: string) => boolean;
  toggle: (traceId: string) => void;
  handleKey: (event: KeyboardEvent) => boolean;
};

/** `+2 lines`, `JSON`; null if the row shows the whole text. */
export function describeRest(body: string): string | null {
  const more = body.trimEnd().split('\n').length - 1;
  if (more > 0) return more === 1 ? '+1 line' : `+${more} lines`;
  return findJson(body) === null ? null : 'JSON';
}

/** Right unfolds the active entry, left folds it. */
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
