/** Light, dark, or the system's choice. Kept in this browser; `theme.js` applies it before the first paint. */
import { useSyncExternalStore } from 'react';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'tapedeck.theme';
const changes = new EventTarget();

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // The browser may forbid storage. Then the choice lasts until the page closes.
  }
  changes.dispatchEvent(new Event('change'));
}

export function useTheme(): Theme {
  return useSyncExternalStore(listen, readTheme);
}

function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

function listen(onChange: () => void): () => void {
  changes.addEventListener('change', onChange);
  return () => changes.removeEventListener('change', onChange);
}
