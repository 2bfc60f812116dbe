/** Keeps the focus in a part of the page when the focused element disappears, for example a button that applied to deleted files. */
import { type FocusEventHandler, type RefObject, useEffect, useRef } from 'react';

type KeptFocus = {
  ref: RefObject<HTMLDivElement | null>;
  tabIndex: -1;
  onFocus: FocusEventHandler;
};

/** The part re-renders whenever its elements change. `preferred` selects the element in it that gets the focus, if it exists. */
export function useKeptFocus(preferred: string): KeptFocus {
  const ref = useRef<HTMLDivElement>(null);
  const focused = useRef<Element>(null);
  useEffect(() => {
    const isLost = focused.current?.isConnected === false && document.activeElement === document.body;
    if (!isLost) return;
    const next = ref.current?.querySelector<HTMLElement>(preferred) ?? ref.current;
    next?.focus({ preventScroll: true });
  });
  return {
    ref,
    tabIndex: -1,
    onFocus: ({ target }) => {
      focused.current = target;
    },
  };
}
