/** Keeps a dialog's content while it fades out. */
import { useRef } from 'react';

/** Returns the value, or the last one that was not null. */
export function useLastValue<T>(value: T | null): T | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return value ?? last.current;
}
