/** The search in the address, and how the controls of the page change it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { LogSearch } from './search.ts';

export type ChangeSearch = (change: LogSearch) => void;

export function useLogSearch(): { search: LogSearch; change: ChangeSearch } {
  const search = useSearch({ from: '/inside/projects/$project/logs' });
  const navigate = useNavigate({ from: '/projects/$project/logs' });
  const change = useCallback(
    (changed: LogSearch) => {
      // Looking through entries leaves no trail in the history; another search does.
      const replace = Object.keys(changed).every(key => key === 'entry');
      void navigate({ search: before => ({ ...before, ...changed }), replace, resetScroll: false });
    },
    [navigate],
  );
  return { search, change };
}
