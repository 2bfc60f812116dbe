/** Keeps a project's latest searches in this browser. */
import { useState } from 'react';
import { readStoredList, storeList } from '../browserStorage.ts';
import { useMe } from '../queries/session.ts';

const keptMax = 20;

export type RecentSearches = {
  /** Newest first. */
  searches: readonly string[];
  remember: (text: string) => void;
  forget: (text: string) => void;
  forgetAll: () => void;
};

/** Stored per user, because people may share a browser. */
export function useRecentSearches(project: string, area: 'logs' | 'files'): RecentSearches {
  const key = `tapedeck.${area}.searches.${useMe().id}.${project}`;
  const [kept, setKept] = useState<{ key: string; searches: readonly string[] } | null>(null);
  const searches = kept?.key === key ? kept.searches : readSearches(key);
  const keep = (next: readonly string[]) => {
    setKept({ key, searches: next });
    storeList(key, next);
  };
  return {
    searches,
    remember: text => {
      if (text !== '') keep([text, ...searches.filter(each => each !== text)].slice(0, keptMax));
    },
    forget: text => keep(searches.filter(each => each !== text)),
    forgetAll: () => keep([]),
  };
}

function readSearches(key: string): readonly string[] {
  return readStoredList(key).filter(each => typeof each === 'string');
}
