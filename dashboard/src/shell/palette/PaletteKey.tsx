/** Opens the palette by Ctrl+K or ⌘K anywhere, and by its button. What it needs loads when it is first opened. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from '../../ui/Icon.tsx';

const Palette = lazy(() =>
  import('./Palette.tsx').then(({ Palette: component }) => ({ default: component })),
);
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Anywhere on the page. */
export function PaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const listen = (event: KeyboardEvent) => {
      const isMeant = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isMeant || event.shiftKey) return;
      event.preventDefault(); // browsers go to their own search
      setOpen(true);
    };
    window.addEventListener('keydown', listen, { signal });
    window.addEventListener(opening, () => setOpen(true), { signal });
    return () => listening.abort();
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  );
}

const opening = 'tapedeck:palette';

export function PaletteButton() {
  return (
    <button
      type="button"
      onClick={() => window.dispatchEvent(new Event(opening))}
      className="mt-2 flex h-9 items-center gap-2.5 rounded-lg border border-line px-2.5 text-sm text-muted hover:border-edge hover:text-ink"
    >
      <Icon name="search" />
      Go to…
      <kbd className="ml-auto font-mono text-[0.72rem] phone:hidden">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}
