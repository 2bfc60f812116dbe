/** Reads and changes the search in the address. */
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { showToast } from '../../ui/Toasts.tsx';
import type { LogSearch } from './search.ts';

export type ChangeSearch = (change: LogSearch) => void;

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the previous page is the same without the open entry. */
    isEntryOnTop?: boolean;
  }
}

export function useLogSearch(): { search: LogSearch; change: ChangeSearch } {
  const search = useSearch({ from: '/inside/projects/$project/logs' });
  const navigate = useNavigate({ from: '/projects/$project/logs' });
  const { history } = useRouter();
  const leaving = useRef<string | undefined>(undefined);
  const latest = useRef(search);
  latest.current = search;
  const change = useCallback(
    (changed: LogSearch) => {
      const before = latest.current;
      const { key, isEntryOnTop } = history.location.state;
      if (leaving.current !== undefined && leaving.current === key) return;
      const isAlone = (key: 'entry' | 'live') => Object.keys(changed).every(each => each === key);
      const isEntryAlone = isAlone('entry');
      if (isEntryAlone && changed.entry === before.entry) return;
      if (isEntryAlone && changed.entry === undefined && isEntryOnTop) {
        leaving.current = key;
        return history.back();
      }
      const emptied = changed.query === '' && { query: undefined };
      const endsLive = before.live !== undefined && changed.to !== undefined;
      if (endsLive) showToast('Live was turned off: this time range has an end');
      // Back closes an opened entry. Stepping from entry to entry adds no history.
      const isOpening = isEntryAlone && before.entry === undefined;
      void navigate({
        search: { ...before, ...changed, ...(endsLive && { live: undefined }), ...emptied },
        replace: isAlone('live') || (isEntryAlone && !isOpening),
        state: isEntryAlone || isAlone('live') ? { isEntryOnTop: isOpening || isEntryOnTop === true } : {},
        resetScroll: false,
      });
    },
    [navigate, history],
  );
  return { search, change };
}
