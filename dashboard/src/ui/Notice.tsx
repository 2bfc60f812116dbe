/** A sentence that users must see: an error, or something to know first. */
import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';

const looks = {
  error: 'border-danger/45 bg-danger/8 text-danger',
  warning: 'border-accent/50 bg-accent/9 text-ink',
  plain: 'border-line bg-well/60 text-muted',
} as const;

type NoticeProps = { look: keyof typeof looks; children: ReactNode };

export function Notice({ look, children }: NoticeProps) {
  return (
    <div
      role={look === 'error' ? 'alert' : undefined}
      className={`flex animate-arrive gap-2.5 rounded-lg border px-3.5 py-2.5 text-sm ${looks[look]}`}
    >
      {look !== 'plain' && <Icon name="warning" className="mt-[0.2em]" />}
      <div className="min-w-0">{children}</div>
    </div>
  );
}
