/** The Tapedeck logo, a cassette: beside the name and in empty states. */

/** Takes the colour of the text around it. */
export function Logo({ className = '' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 22" className={`h-[1.15em] shrink-0 ${className}`} aria-hidden="true">
      <path
        d="M4 0h24a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4h-3.5L22.8 19H9.2L7.5 22H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z"
        fill="currentColor"
      />
      <path d="M4 4h24" className="stroke-accent" strokeWidth="2.4" strokeLinecap="round" />
      <circle cx="9.5" cy="11" r="2.9" className="fill-paper" />
      <circle cx="22.5" cy="11" r="2.9" className="fill-paper" />
      <path d="M14.5 11h3" className="stroke-paper" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2.5 font-semibold tracking-tight">
      <Logo className="text-ink" />
      Tapedeck
    </span>
  );
}
