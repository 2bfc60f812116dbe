/** Opens the palette by Ctrl+K or ⌘K anywhere, and by its button. Loads its code on first use. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from '../../ui/Icon.tsx';

const Palette = lazy(() =>
  import('./Palette.tsx').then(({ Palette: component }) => ({ default: component })),
);
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function PaletteKey() {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  useEarlyLetters(isOpen, letter => setTyped(text => text + letter));
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const listen = (event: KeyboardEvent) => {
      const isMeant = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isMeant || event.shiftKey) return;
      event.preventDefault(); // browsers would open their own search
      setOpen(true);
    };
    window.addEventListener('keydown', listen, { signal });
    window.addEventListener(opening, () => setOpen(true), { signal });
    return () => listening.abort();
  }, []);
  if (!isOpen) return null;
  const close = () => {
    setOpen(false);
    setTyped('');
  };
  return (
    <Suspense>
      <Palette typed={typed} onType={setTyped} onClose={close} />
    </Suspense>
  );
}

/** Passes letters to the field that the user types before it has the focus. The page's own keys ignore them. */
function useEarlyLetters(isOpen: boolean, onLetter: (letter: string) => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const listening = new AbortController();
    const listen = (event: KeyboardEvent) => {
      const isThere = event.target instanceof Element && event.target.closest('[role=dialog]') !== null;
      const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isThere || !isLetter) return;
      event.preventDefault();
      event.stopPropagation();
      onLetter(event.key);
    };
    window.addEventListener('keydown', listen, { capture: true, signal: listening.signal });
    return () => listening.abort();
  });
}

const opening = 'tapedeck:palette';
const openPalette = () => window.dispatchEvent(new Event(opening));

export function PaletteButton() {
  return (
    <button
      type="button"
      onClick={openPalette}
      className="mt-2 flex h-9 items-center gap-2.5 rounded-lg border border-line px-2.5 text-sm text-muted hover:border-edge hover:text-ink"
    >
      <Icon name="search" />
      Go to…
      <kbd className="ml-auto font-mono text-[0.72rem] phone:hidden">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}

/** For phones, which have no Ctrl key. */
export function PaletteIconButton() {
  return (
    <button
      type="button"
      aria-label="Go to…"
      onClick={openPalette}
      className="grid size-10 place-items-center rounded-lg text-muted hover:bg-ink/5 hover:text-ink"
    >
      <Icon name="search" className="size-5" />
    </button>
  );
}
