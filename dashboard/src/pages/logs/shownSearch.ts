/** Returns the search to show results for: while the query is invalid, the last valid one. */
import { useRef, useState } from 'react';
import { readBox } from '../../queryBox/queryErrors.ts';
import type { LogSearch } from './search.ts';

type ShownSearch = {
  shown: LogSearch;
  /** True if the query in the address or the box is invalid. */
  isWrong: boolean;
  setMistake: (hasMistake: boolean) => void;
};

export function useShownSearch(search: LogSearch): ShownSearch {
  const [isTypedWrong, setMistake] = useState(false);
  const { query } = search;
  const isWrong = readBox(query ?? '', null).mistake !== null;
  const right = useRef<{ query: string | undefined } | null>(null);
  if (!isWrong) right.current = { query };
  const last = useRef(search);
  // Keeps the same object while nothing changes, to avoid rendering again.
  const shown = isWrong && right.current !== null ? { ...search, ...right.current } : search;
  if (!isEqual(last.current, shown)) last.current = shown;
  return { shown: last.current, isWrong: isWrong || isTypedWrong, setMistake };
}

function isEqual(one: LogSearch, other: LogSearch): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
