/** The path to the open folder. Each folder on it is a link and accepts dropped files. */
import { Link } from '@tanstack/react-router';
import { Icon } from '../../../ui/Icon.tsx';
import { type Dragged, type MoveInto, useDropTarget } from '../draggedFiles.ts';
import { FolderButton } from './FolderButton.tsx';

type BreadcrumbsProps = {
  project: string;
  path: string;
  /** null if the user may not move files. */
  onMove: MoveInto | null;
};

export function Breadcrumbs({ project, path, onMove }: BreadcrumbsProps) {
  const names = path === '' ? [] : path.split('/');
  const steps = [
    { name: 'All files', path: '' },
    ...names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') })),
  ];
  return (
    <nav aria-label="Breadcrumbs" className={`min-w-0 ${path === '' ? 'phone:hidden' : ''}`}>
      <ol className="flex flex-wrap items-center text-sm">
        {steps.map((step, index) => (
          <li key={step.path} className="flex min-w-0 items-center">
            {index > 0 && <Icon name="right" className="size-3 text-muted" />}
            <Crumb
              project={project}
              {...step}
              isLast={index === steps.length - 1}
              onTake={onMove && (dragged => onMove(dragged, step.path))}
            />
          </li>
        ))}
        {onMove !== null && path !== '' && (
          <li>
            <FolderButton project={project} path={path} />
          </li>
        )}
      </ol>
    </nav>
  );
}

type CrumbProps = {
  project: string;
  name: string;
  path: string;
  isLast: boolean;
  onTake: ((dragged: Dragged) => void) | null;
};

function Crumb({ project, name, path, isLast, onTake }: CrumbProps) {
  const { isOver, handlers } = useDropTarget(onTake);
  return (
    <Link
      from="/projects/$project/files"
      to="/projects/$project/files"
      params={{ project }}
      search={({ view, sort, order }) => ({ view, sort, order, path: path || undefined })}
      aria-current={isLast ? 'page' : undefined}
      {...handlers}
      className={`inline-flex min-h-8 max-w-52 min-w-0 items-center rounded-md px-1.5 hover:bg-ink/6
        ${isLast ? 'font-medium' : 'text-muted'} ${isOver ? 'bg-accent/15 ring-2 ring-accent' : ''}`}
    >
      <span className="truncate" title={path}>
        {name}
      </span>
    </Link>
  );
}
