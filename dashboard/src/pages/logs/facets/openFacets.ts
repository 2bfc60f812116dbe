/** Remembers the open facets. By default the first two are open, and those that filter the search. */
import { usePreference } from '../preferences.ts';

const usuallyOpen = ['level', 'resource'];
const keptMax = 200; // drops fields the user has not seen for long

export function useOpenFacets() {
  const [kept, keep] = usePreference('openFacets');
  const choices = readChoices(kept);
  return {
    isOpen: (name: string, isNarrowing: boolean) =>
      choices.get(name) ?? (isNarrowing || usuallyOpen.includes(name)),
    setOpen: (name: string, isOpen: boolean) => {
      choices.delete(name);
      choices.set(name, isOpen);
      keep(JSON.stringify([...choices].slice(-keptMax)));
    },
  };
}

/** Reads stored text, valid or not. */
function readChoices(text: string | null): Map<string, boolean> {
  const choices = new Map<string, boolean>();
  if (text === null) return choices;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return choices;
  }
  for (const pair of Array.isArray(read) ? read : []) {
    if (!Array.isArray(pair)) continue;
    const [name, isOpen]: unknown[] = pair;
    if (typeof name === 'string' && typeof isOpen === 'boolean') choices.set(name, isOpen);
  }
  return choices;
}
