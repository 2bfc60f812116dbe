/** Light, dark, or the system's choice. Kept in this browser; `theme.js` applies it before the first paint. */
import { useSyncExternalStore } from 'react';
import { store } from './browserStorage.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'tapedeck.theme';
const changes = new EventTarget();

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  store(storageKey, theme);
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
