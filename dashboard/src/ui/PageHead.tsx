/** The head of every page: title, description and actions. Also sets the browser tab's title. */
import type { ReactNode } from 'react';

type PageHeadProps = { title: string; about?: ReactNode; actions?: ReactNode };

export function PageHead({ title, about, actions }: PageHeadProps) {
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
      <title>{`${title} · Tapedeck`}</title>
      <div className="grid max-w-2xl min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
        <h1 className="text-2xl font-semibold tracking-tight text-balance wrap-anywhere">
          <bdi>{title}</bdi>
        </h1>
        {about && <p className="text-pretty wrap-anywhere text-muted">{about}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2.5">{actions}</div>}
    </header>
  );
}
