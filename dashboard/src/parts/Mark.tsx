/** The sign of Tapedeck: a cassette, small beside its name and large where there is room. */

/** The sign in the colours of the text around it. */
export function Mark({ className = '' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 24" className={`h-[1.25em] shrink-0 ${className}`} aria-hidden="true">
      <rect x="1" y="1" width="30" height="22" rx="5" fill="currentColor" />
      <rect x="5" y="5.5" width="22" height="10" rx="5" className="fill-paper" />
      <circle cx="10.5" cy="10.5" r="3" fill="none" stroke="currentColor" strokeWidth="2" />
      <circle cx="21.5" cy="10.5" r="3" fill="none" stroke="currentColor" strokeWidth="2" />
      <path d="M9 23l1.6-4h10.8l1.6 4z" className="fill-accent" />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2.5 font-semibold tracking-tight">
      <Mark className="text-ink" />
      Tapedeck
    </span>
  );
}
