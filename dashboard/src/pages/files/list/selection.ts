/** Tracks the selected files and the one with the keyboard focus, as in a file manager. */
import { useMemo, useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';

export type Selection = {
  chosen: ReadonlySet<string>;
  /** The file with keyboard focus. */
  active: string | null;
  /** True if every click toggles, as with Ctrl: for touch. */
  isChoosing: boolean;
  setChoosing: (isChoosing: boolean) => void;
  /** Selects or deselects the file. */
  toggle: (id: string) => void;
  /** Selects everything from the last clicked item to this one. */
  extend: (id: string) => void;
  move: (id: string) => void;
  chooseAll: () => void;
  choose: (ids: readonly string[]) => void;
  clear: () => void;
};

const none: ReadonlySet<string> = new Set();

export function useSelection(files: readonly FileRecord[]): Selection {
  const [marked, setMarked] = useState(none);
  const [active, setActive] = useState<string | null>(null);
  /** Where a range selection starts. */
  const [anchor, setAnchor] = useState<string | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [listed, setListed] = useState(files);
  if (files !== listed) {
    setListed(files);
    setActive(findNeighbour(listed, files, active));
  }
  // Files that left the list leave the selection.
  const chosen = useMemo(() => {
    if (marked.size === 0) return none;
    return new Set(files.filter(({ id }) => marked.has(id)).map(({ id }) => id));
  }, [marked, files]);
  const isListed = files.some(({ id }) => id === active);
  return {
    chosen,
    active: isListed ? active : (files[0]?.id ?? null),
    isChoosing,
    setChoosing,
    toggle: id => {
      const next = new Set(chosen);
      if (!next.delete(id)) next.add(id);
      setMarked(next);
      setActive(id);
      setAnchor(id);
    },
    extend: id => {
      const from = anchor ?? active ?? id;
      setMarked(new Set(listBetween(files, from, id)));
      setAnchor(from);
      setActive(id);
    },
    move: id => {
      setActive(id);
      setAnchor(id);
    },
    chooseAll: () => setMarked(new Set(files.map(({ id }) => id))),
    choose: ids => setMarked(new Set(ids)),
    clear: () => {
      setMarked(none);
      setChoosing(false);
    },
  };
}

/** Returns the file itself while it is listed; otherwise the next one that still is, or the one before. null: start at the first. */
function findNeighbour(
  before: readonly FileRecord[],
  now: readonly FileRecord[],
  active: string | null,
): string | null {
  const left = new Set(now.map(({ id }) => id));
  if (active === null || left.has(active)) return active;
  const at = before.findIndex(({ id }) => id === active);
  if (at < 0) return null;
  const isLeft = ({ id }: FileRecord) => left.has(id);
  return (before.slice(at).find(isLeft) ?? before.slice(0, at).findLast(isLeft))?.id ?? null;
}

/** Lists the files from one to another, both included. */
function listBetween(files: readonly FileRecord[], one: string, other: string): string[] {
  const ends = [one, other].map(end => files.findIndex(({ id }) => id === end));
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  return first < 0 ? [other] : files.slice(first, last + 1).map(({ id }) => id);
}
