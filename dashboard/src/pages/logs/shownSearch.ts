/** The search whose answers are on the page: while its query is wrong, the last one that was right. */
import { useRef, useState } from 'react';
import { readBox } from '../../queryBox/queryErrors.ts';
import type { LogSearch } from './search.ts';

type ShownSearch = {
  shown: LogSearch;
  /** The query in the address, or the text in the box, has a mistake. */
  isWrong: boolean;
  noteMistake: (hasMistake: boolean) => void;
};

export function useShownSearch(search: LogSearch): ShownSearch {
  const [isTypedWrong, noteMistake] = useState(false);
  const { query } = search;
  const isWrong = readBox(query ?? '', null).mistake !== null;
  const right = useRef<{ query: string | undefined } | null>(null);
  if (!isWrong) right.current = { query };
  const last = useRef(search);
  // One object while nothing changes: what is drawn from it stays.
  const shown = isWrong && right.current !== null ? { ...search, ...right.current } : search;
  if (!isEqual(last.current, shown)) last.current = shown;
  return { shown: last.current, isWrong: isWrong || isTypedWrong, noteMistake };
}

function isEqual(one: LogSearch, other: LogSearch): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
