/** A loading spinner of two turning reels. */
import { SlowNote } from './SlowNote.tsx';

export function Spinner({ label = 'Loading' }: { label?: string }) {
  return (
    <span role="status" className="inline-flex items-center gap-1.5 text-muted">
      <Reel />
      <Reel />
      <span className="sr-only">{label}</span>
    </span>
  );
}

function Reel() {
  return (
    <svg viewBox="0 0 16 16" className="size-4 animate-reel" aria-hidden="true">
      <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M8 8V3.2M8 8l4.2 2.4M8 8l-4.2 2.4" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}

/** For a whole page. Appears late, to avoid flicker on quick responses. `slow`: its text after some seconds. */
export function PageSpinner({ slow }: { slow?: string }) {
  return (
    <div className="grid min-h-60 place-content-center justify-items-center gap-3">
      <Spinner />
      <SlowNote words={slow} />
    </div>
  );
}
