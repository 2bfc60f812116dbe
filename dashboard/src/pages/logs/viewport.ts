/** Watches the size of the window. */
import { useCallback, useSyncExternalStore } from 'react';

/** Wide enough for columns. */
export const roomyQuery = '(width >= 64rem)';
/** Wide enough for fields beside the entries, and for an open entry, which covers the list below this width. */
export const wideQuery = '(width >= 80rem)';
/** Wide enough for an open entry beside everything else. */
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
