/** Shows a project's folders as a tree with their file counts. Users can drop files and folders on them. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { countThings, formatCount } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { fileTotalQuery } from '../../../queries/files.ts';
import { type Folder, foldersQuery, foldersShownMax } from '../../../queries/folders.ts';
import { controlStyle } from '../../../ui/forms/Field.tsx';
import { useDebouncedValue } from '../../../ui/hooks/useDebouncedValue.ts';
import { Icon } from '../../../ui/Icon.tsx';
import type { MoveInto } from '../draggedFiles.ts';
import { FolderLink } from './FolderLink.tsx';

export type FolderTreeProps = {
  project: string;
  /** The open folder; '' is the project's root. */
  path: string;
  isTrash: boolean;
  /** null if the project has no trash. */
  trashDays: number | null;
  /** null if the user may not move files. */
  onMove: MoveInto | null;
};

export function FolderTree(props: FolderTreeProps) {
  const { project, path, isTrash, trashDays, onMove } = props;
  const { data: total } = useQuery(fileTotalQuery(project));
  return (
    <nav aria-label="Folders" className="grid grid-cols-[minmax(0,1fr)] text-sm">
      <FolderLink
        project={project}
        to={{}}
        isCurrent={path === '' && !isTrash}
        onTake={onMove && (dragged => onMove(dragged, ''))}
        about={total === undefined ? '' : countThings(total, 'file')}
      >
        <Icon name="picture" className="text-muted" />
        All files
      </FolderLink>
      <Level {...props} parent="" depth={0} />
      {trashDays !== null && (
        <div className="mt-1.5 border-t border-line pt-1.5">
          <FolderLink project={project} to={{ trash: 'true' }} isCurrent={isTrash} onTake={null} about="">
            <Icon name="bin" className="text-muted" />
            Trash
          </FolderLink>
        </div>
      )}
    </nav>
  );
}

type LevelProps = FolderTreeProps & { parent: string; depth: number };

function Level({ parent, depth, ...props }: LevelProps) {
  const [prefix, setPrefix] = useState('');
  const asked = useDebouncedValue(prefix);
  const { data: folders = [] } = useQuery(foldersQuery(props.project, { path: parent, prefix: asked }));
  const isCut = folders.length === foldersShownMax;
  if (folders.length === 0 && prefix === '') return null;
  return (
    <>
      {(isCut || prefix !== '') && (
        <input
          type="search"
          aria-label={parent === '' ? 'Find a folder' : `Find a folder in ${parent}`}
          placeholder={isCut ? `${formatCount(foldersShownMax)} shown; type a name` : 'Find a folder'}
          value={prefix}
          onChange={event => setPrefix(event.target.value)}
          className={`${controlStyle} my-1 h-8 text-[0.82rem]`}
        />
      )}
      <ul>
        {folders.map(folder => (
          <Node key={folder.path} {...props} folder={folder} depth={depth} />
        ))}
      </ul>
    </>
  );
}

type NodeProps = FolderTreeProps & { folder: Folder; depth: number };

function Node({ folder, depth, ...props }: NodeProps) {
  const { project, path, onMove } = props;
  // Includes the open folder itself, so that its subfolders are in sight and accept files.
  const isOnTheWay = `${path}/`.startsWith(`${folder.path}/`);
  const [isOpen, setOpen] = useState(isOnTheWay);
  useEffect(() => {
    if (isOnTheWay) setOpen(true);
  }, [isOnTheWay]);
  const name = folder.path.slice(folder.path.lastIndexOf('/') + 1);
  return (
    <li>
      <div className="flex items-center" style={{ paddingLeft: `${depth * 0.75}rem` }}>
        <button
          type="button"
          aria-label={isOpen ? `Close ${name}` : `Open ${name}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="grid size-7 shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
        >
          <Icon name={isOpen ? 'down' : 'right'} className="size-3" />
        </button>
        <FolderLink
          project={project}
          to={{ path: folder.path }}
          isCurrent={path === folder.path && !props.isTrash}
          onTake={onMove && (dragged => onMove(dragged, folder.path))}
          about={`${countThings(folder.files, 'file')}, ${formatBytes(folder.bytes)}`}
          short={`${formatCount(folder.files)} · ${formatBytes(folder.bytes)}`}
        >
          <span className="min-w-0 truncate" title={folder.path}>
            {name}
          </span>
        </FolderLink>
      </div>
      {isOpen && <Level {...props} parent={folder.path} depth={depth + 1} />}
    </li>
  );
}
