/** The search in the address, how the controls of the page change it, and which file is open. */
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ChangeFileSearch, FileSearch } from './search.ts';

type FileSearching = {
  search: FileSearch;
  change: ChangeFileSearch;
  /** undefined closes the one that is open. */
  open: (file: string | undefined) => void;
};

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page before this one is the list from which the file was opened. */
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
      // Closing and the browser's own way back come out at the same place.
      if (file === undefined && history.location.state.isOpenedFromList) return history.back();
      void navigate({
        search: before => ({ ...before, file }),
        // Walking from file to file leaves no trail.
        replace: isOpen,
        state: isOpen ? true : { isOpenedFromList: true },
        resetScroll: false,
      });
    },
    [navigate, history, isOpen],
  );
  return { search, change, open };
}
