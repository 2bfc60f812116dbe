/** The user's preferences for the Logs page, stored in this browser and shared by all its components. */
import { useCallback, useSyncExternalStore } from 'react';
import { readStored, store } from '../../browserStorage.ts';

type Preference =
  | 'panelPixels'
  | 'facets'
  | 'facetsBesideEntry'
  | 'openFacets'
  | 'zone'
  | 'density'
  | 'wrapping'
  | 'foreignPictures';

/** Preferences read or chosen since the page loaded. If storage is forbidden, there are no others. */
const known = new Map<Preference, string | null>();
const listeners = new Set<() => void>();

export function usePreference(name: Preference): [string | null, (value: string) => void] {
  const value = useSyncExternalStore(listen, () => recall(name));
  return [value, useCallback((next: string) => keep(name, next), [name])];
}

function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

function recall(name: Preference): string | null {
  if (!known.has(name)) known.set(name, readStored(keyOf(name)));
  return known.get(name) ?? null;
}

function keep(name: Preference, value: string): void {
  known.set(name, value);
  store(keyOf(name), value);
  for (const onChange of listeners) onChange();
}

function keyOf(name: Preference): string {
  return `tapedeck.logs.${name}`;
}
