/** What stands where nothing is yet: what would be here, and how to get it. */
import type { ReactNode } from 'react';
import { Mark } from './Mark.tsx';

type EmptyProps = { title: string; children: ReactNode; action?: ReactNode };

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-3 rounded-xl border border-dashed border-edge/70 px-6 py-14 text-center">
      <Mark className="text-4xl text-edge" />
      <div className="grid gap-1">
        <h2 className="font-semibold">{title}</h2>
        <p className="max-w-prose text-sm text-balance text-muted">{children}</p>
      </div>
      {action}
    </div>
  );
}
