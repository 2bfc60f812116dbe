/** A value that links to others with the same value. */
import type { ReactNode } from 'react';

type FilterLinkProps = { label: string; onClick: () => void; children: ReactNode };

export function FilterLink({ label, onClick, children }: FilterLinkProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="line-clamp-4 min-h-[24px] min-w-0 rounded-sm text-left wrap-anywhere underline decoration-edge underline-offset-3 hover:decoration-ink"
    >
      {children}
    </button>
  );
}
