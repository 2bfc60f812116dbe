/** Returns a value once it stops changing, so that dragging or typing sends no query at each step. */
import { useEffect, useState } from 'react';

const pauseMs = 350; // short enough not to notice, longer than a step of a drag

/** Values with equal contents count as equal. */
export function useDebouncedValue<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the contents restarts the pause
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
