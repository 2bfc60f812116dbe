/** Handles keys that work anywhere on the page. */
import { useEffect, useRef } from 'react';

export function usePageKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      const isMeant = !isTyping && !isCovered() && !event.ctrlKey && !event.metaKey && !event.altKey;
      const action = isMeant ? latest.current[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** True if a menu or dialog is open, which has its own keys. */
export function isCovered(): boolean {
  return document.querySelector('[role=menu], [role=dialog], [role=alertdialog]') !== null;
}
