/** Pins charts of saved views to Home. The pin is part of the view, so that everyone in the project sees the same. */
import type { LogView } from '../../../queries/logViews.ts';

const key = 'home'; // not part of a search: the Logs page ignores it
export const pinsMax = 12; // Home runs a log query for each

type Kept = Pick<LogView, 'query'>;

export function isPinned({ query }: Kept): boolean {
  return pinnedAt(query) !== null;
}

/** Adds the pin to the query. Charts are listed in pinning order. */
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

/** Returns the view's new query with its old pin. */
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
