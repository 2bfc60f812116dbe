/** Keeps what a dialog is about while it fades away. */
import { useRef } from 'react';

/** The value, or the last one that was not null. */
export function useLastValue<T>(value: T | null): T | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return value ?? last.current;
}
