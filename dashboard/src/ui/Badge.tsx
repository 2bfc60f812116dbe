/** A small label: a kind, a role, a scope. */
import type { ReactNode } from 'react';

const looks = {
  plain: 'border-line text-muted',
  strong: 'border-edge text-ink',
  accent: 'border-accent/60 text-accent',
} as const;

type BadgeProps = { look?: keyof typeof looks; children: ReactNode };

export function Badge({ look = 'plain', children }: BadgeProps) {
  return (
    <span
      className={`inline-block max-w-full truncate align-middle rounded-md border px-1.5 font-mono text-[0.74rem] leading-5 ${looks[look]}`}
    >
      {children}
    </span>
  );
}
