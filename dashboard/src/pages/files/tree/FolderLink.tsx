/** A draggable link to a folder that also accepts files and folders. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Dragged, startDrag, useDropTarget } from '../draggedFiles.ts';
import type { FileSearch } from '../search.ts';

type FolderLinkProps = {
  project: string;
  to: Pick<FileSearch, 'path' | 'trash'>;
  isCurrent: boolean;
  /** null if it accepts no drops and cannot be dragged. */
  onTake: ((dragged: Dragged) => void) | null;
  /** The number of files in it. */
  about: string;
  /** A shorter form for tight places. */
  short?: string;
  children: ReactNode;
};

export function FolderLink(props: FolderLinkProps) {
  const { project, to, isCurrent, onTake, about, short = about, children } = props;
  const { isOver, handlers } = useDropTarget(onTake);
  return (
    <Link
      from="/projects/$project/files"
      to="/projects/$project/files"
      params={{ project }}
      // Keeps the layout and order, but not the query.
      search={({ view, sort, order }) => ({ view, sort, order, ...to })}
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={isCurrent ? 'page' : undefined}
      {...handlers}
      draggable={onTake !== null && to.path !== undefined}
      onDragStart={event => startDrag(event, { folder: to.path ?? '' })}
      className={`flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1 hover:bg-ink/6
        ${isCurrent ? 'bg-ink/8 font-medium' : ''} ${isOver ? 'bg-accent/15 ring-2 ring-accent' : ''}`}
    >
      {children}
      <span className="sr-only">, {about}</span>
      <span
        aria-hidden="true"
        className="ml-auto shrink-0 font-mono text-[0.72rem] font-normal text-muted tabular-nums"
      >
        {short}
      </span>
    </Link>
  );
}
