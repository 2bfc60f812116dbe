/** Pins charts of saved views to Home. The pin is part of the view, so that everyone in the project sees the same. */
import type { LogView } from '../../../queries/logViews.ts';

const key = 'home'; // no part of a search: the Logs page passes it over
export const pinsMax = 12; // each is a question to the log engine whenever Home is opened

type Kept = Pick<LogView, 'query'>;

export function isPinned({ query }: Kept): boolean {
  return pinnedAt(query) !== null;
}

/** The query with the pin: the one that was pinned first stands first. */
export function pin({ query }: Kept, now: number): string {
  const parameters = new URLSearchParams(query);
  parameters.set(key, String(now));
  return parameters.toString();
}

export function unpin({ query }: Kept): string {
  const parameters = new URLSearchParams(query);
  parameters.delete(key);
  return parameters.toString();
}

/** Another search for a view that stays where it is. */
export function keepPin(view: Kept, query: string): string {
  const at = pinnedAt(view.query);
  return at === null ? query : pin({ query }, at);
}

export function listPinned<View extends LogView>(views: readonly View[]): View[] {
  const order = ({ query }: View) => pinnedAt(query) ?? 0;
  return views.filter(isPinned).toSorted((one, other) => order(one) - order(other));
}

function pinnedAt(query: string): number | null {
  const text = new URLSearchParams(query).get(key);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
