/** Remembers that something was true once. */
import { useRef } from 'react';

/** Returns whether the value has been true since the component was mounted. */
export function useEver(value: boolean): boolean {
  const ever = useRef(false);
  if (value) ever.current = true;
  return ever.current;
}
