/** Passes on typed text after a pause. Shows changes from elsewhere, but never undoes the user's typing. */
import { useEffect, useRef, useState } from 'react';

const typingPauseMs = 300; // long enough to finish a word

export function useDebouncedInput(value: string, onChange: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = () => {
    const text = typed.trim();
    if (text === sent.current) return;
    sent.current = text;
    onChange(text);
  };
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing restarts the pause
  useEffect(() => {
    const timer = setTimeout(send, typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped, send };
}
