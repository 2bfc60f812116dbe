/** A tile of Home with one answer. Links to its page, and fails on its own. */
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';
import { type ReactNode, useId } from 'react';
import { useLastError } from '../../../ui/hooks/useLastFailure.ts';
import { Icon } from '../../../ui/Icon.tsx';

export type Place = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** Puts links inside a tile above the link that fills it. */
export const aboveLink = 'relative underline decoration-edge underline-offset-3 hover:decoration-ink';

type TileProps<Data> = {
  title: string;
  /** Opened by a click on the tile. */
  link?: Place;
  found: Pick<UseQueryResult<Data>, 'data' | 'error'>;
  className?: string;
  children: (data: Data) => ReactNode;
};

/** Takes up its final space while loading, so that nothing moves. */
export function Tile<Data>({ title, link, found, className = '', children }: TileProps<Data>) {
  const { data } = found;
  const error = useLastError(found, title);
  const id = useId();
  const isLooking = data === undefined && error === null;
  return (
    <section
      aria-labelledby={id}
      aria-busy={isLooking}
      className={`relative grid min-h-58 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr] gap-2 rounded-xl border border-line bg-panel px-4 pt-3 pb-4 shadow-panel sm:px-5 ${link ? 'transition-colors hover:border-edge' : ''} ${className}`}
    >
      <h2 id={id} className="engraved leading-[24px]">
        {link ? (
          <Link
            {...link}
            className="group/link inline-flex items-center gap-1.5 after:absolute after:inset-0 after:rounded-xl"
          >
            {title}
            <Icon name="right" className="size-3 text-edge group-hover/link:text-ink" />
          </Link>
        ) : (
          title
        )}
      </h2>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
        {isLooking && <Skeleton />}
        {error && (
          <p role="alert" className="text-sm text-pretty text-danger">
            {data === undefined ? 'Couldn’t load this' : 'Not refreshed'}:{' '}
            {isTimeout(error) ? slowAnswer : error.message}
          </p>
        )}
        {data !== undefined && children(data)}
      </div>
    </section>
  );
}

/** The service's message asks for a narrower query, but users cannot change this one. */
const slowAnswer = 'the log engine took longer than 30 seconds.';
const isTimeout = (error: Error) => error instanceof ApiError && error.code === 'query_timeout';

function Skeleton() {
  return (
    <div aria-hidden="true" className="grid animate-pulse gap-3 pt-1">
      <span className="h-8 w-24 rounded-md bg-well" />
      <span className="h-4 w-2/3 rounded-md bg-well" />
      <span className="h-14 rounded-md bg-well" />
    </div>
  );
}

/** The main number with its words. */
export function Figure({ figure, children }: { figure: string; children?: ReactNode }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-2.5">
      <span className="text-3xl font-semibold tracking-tight tabular-nums">{figure}</span>
      <span className="text-sm text-muted">{children}</span>
    </p>
  );
}
