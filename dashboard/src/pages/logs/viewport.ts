/** Watches the size of the window. */
import { useCallback, useSyncExternalStore } from 'react';

/** Where the page has columns. */
export const roomyQuery = '(width >= 64rem)';
/** Where the fields stand beside the entries, unless somebody folds them; and an open entry, which covers the list below it. */
export const wideQuery = '(width >= 80rem)';
/** Where an open entry leaves room for all else. */
export const spaciousQuery = '(width >= 100rem)';
export const narrowQuery = '(width < 48rem)';

export function useMediaQuery(query: string): boolean {
  const listen = useCallback(
    (onChange: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(listen, () => window.matchMedia(query).matches);
}
