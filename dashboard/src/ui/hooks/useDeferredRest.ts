/** Splits a large first render, so that a slow processor can take input in between. */
import { useDeferredValue } from 'react';

/** False in the first render, true in one that follows at once and that input may interrupt. */
export function useDeferredRest(): boolean {
  return useDeferredValue(true, false);
}
