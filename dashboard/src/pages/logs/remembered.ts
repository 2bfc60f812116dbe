/** How someone likes the room of logs to look, kept in this browser. */
import { useState } from 'react';

type Liking = 'panelPixels' | 'facets' | 'facetsBesideEntry';

export function useLiking(name: Liking): [string | null, (value: string) => void] {
  const storageKey = `tapedeck.logs.${name}`;
  const [chosen, setChosen] = useState<Partial<Record<Liking, string>>>({});
  const value = chosen[name] ?? read(storageKey);
  const keep = (next: string) => {
    setChosen({ ...chosen, [name]: next });
    try {
      localStorage.setItem(storageKey, next);
    } catch {
      // Storage may be forbidden; the choice holds until the page is left.
    }
  };
  return [value, keep];
}

function read(storageKey: string): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
