/** Short messages at the edge about successful actions. Most errors appear where the user acted, not here. */
import { useEffect, useSyncExternalStore } from 'react';
import { Icon } from './Icon.tsx';

const shownForMs = 3_500;
const pressableForMs = 8_000; // long enough to read it and reach the button

/** A button beside the message. */
type Way = { words: string; go: () => void };
type Toast = { id: number; words: string; way: Way | null };

let toast: Toast | null = null;
const changes = new EventTarget();

/** Replaces the previous message. */
export function showToast(words: string, way: Way | null = null): void {
  toast = { id: (toast?.id ?? 0) + 1, words, way };
  changes.dispatchEvent(new Event('change'));
}

function forget(id: number): void {
  if (toast?.id === id) toast = null;
  changes.dispatchEvent(new Event('change'));
}

export function Toasts() {
  const shown = useSyncExternalStore(listen, () => toast);
  useEffect(() => {
    if (shown === null) return;
    const timer = setTimeout(() => forget(shown.id), shown.way ? pressableForMs : shownForMs);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    // The region is there from the start, so that screen readers announce what appears in it.
    <div
      role="status"
      className="pointer-events-none fixed bottom-4 left-1/2 z-20 w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 sm:bottom-6"
    >
      {shown && (
        <p
          key={shown.id}
          className="flex animate-arrive items-center gap-2.5 rounded-lg bg-ink px-4 py-2.5 text-sm text-on-ink shadow-float"
        >
          <Icon name="check" />
          {shown.words}
          {shown.way && (
            <button
              type="button"
              className="pointer-events-auto min-h-6 rounded underline underline-offset-3 phone:min-h-11"
              onClick={() => {
                forget(shown.id);
                shown.way?.go();
              }}
            >
              {shown.way.words}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

function listen(onChange: () => void): () => void {
  changes.addEventListener('change', onChange);
  return () => changes.removeEventListener('change', onChange);
}
