/** A value once it has stayed the same for a while: what is dragged or typed asks nothing at each step. */
import { useEffect, useState } from 'react';

const pauseMs = 350; // shorter than anybody waits for an answer, longer than a step of a drag

/** Equal contents are the same. */
export function useDebouncedValue<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other contents start the pause anew
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
