/** Shown where there is nothing yet: says what would be here, and how to get it. */
import type { ReactNode } from 'react';
import { Logo } from './Logo.tsx';

type EmptyStateProps = { title: string; children: ReactNode; action?: ReactNode };

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-3 rounded-xl border border-dashed border-edge/70 px-6 py-14 text-center">
      <Logo className="text-4xl text-edge" />
      <div className="grid gap-1">
        <h2 className="font-semibold">{title}</h2>
        <p className="max-w-prose text-sm text-balance text-muted">{children}</p>
      </div>
      {action}
    </div>
  );
}
