/** Reads and changes the search in the address, and opens and closes files. */
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ChangeFileSearch, FileSearch } from './search.ts';

type FileSearching = {
  search: FileSearch;
  change: ChangeFileSearch;
  /** Opens a file; undefined closes the open one. */
  open: (file: string | undefined) => void;
};

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the previous page is the list that the file was opened from. */
    isOpenedFromList?: boolean;
  }
}

const looks: readonly string[] = ['view', 'sort', 'order'];

export function useFileSearch(): FileSearching {
  const search = useSearch({ from: '/inside/projects/$project/files' });
  const navigate = useNavigate({ from: '/projects/$project/files' });
  const { history } = useRouter();
  const change = useCallback(
    (changed: FileSearch) => {
      const replace = Object.keys(changed).every(key => looks.includes(key));
      void navigate({ search: before => ({ ...before, ...changed }), replace, resetScroll: false });
    },
    [navigate],
  );
  const isOpen = search.file !== undefined;
  const open = useCallback(
    (file: string | undefined) => {
      // Close and the browser's Back lead to the same place.
      if (file === undefined && history.location.state.isOpenedFromList) return history.back();
      void navigate({
        search: before => ({ ...before, file }),
        // Stepping from file to file adds no history.
        replace: isOpen,
        state: isOpen ? true : { isOpenedFromList: true },
        resetScroll: false,
      });
    },
    [navigate, history, isOpen],
  );
  return { search, change, open };
}
