/** A panel that groups related content under a heading. */
import type { ReactNode } from 'react';

type PanelProps = {
  title?: string;
  about?: ReactNode;
  actions?: ReactNode;
  footer?: ReactNode;
  children?: ReactNode;
};

export function Panel({ title, about, actions, footer, children }: PanelProps) {
  return (
    <section className="overflow-hidden rounded-xl border border-line bg-panel shadow-panel">
      {title && (
        <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 p-5 sm:px-6">
          <div className="grid max-w-prose gap-0.5">
            <h2 className="font-semibold tracking-tight">{title}</h2>
            {about && <p className="text-sm text-pretty text-muted">{about}</p>}
          </div>
          {actions}
        </header>
      )}
      {children && <div className="px-5 pb-5 first:pt-5 sm:px-6">{children}</div>}
      {footer && (
        <footer className="flex flex-wrap items-center justify-end gap-3 border-t border-line bg-well/45 px-5 py-3 sm:px-6">
          {footer}
        </footer>
      )}
    </section>
  );
}
