/** Shows storage by type and folder, as a treemap and as tables. Folders open on a click. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { formatCount } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { folderQuery, foldersQuery, foldersShownMax } from '../../../queries/folders.ts';
import { storageQuery } from '../../../queries/storage.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { PageSpinner } from '../../../ui/Spinner.tsx';
import { Breadcrumbs } from '../tree/Breadcrumbs.tsx';
import { listFolderParts, listTypes, sumKinds } from './storedParts.ts';
import { type StoredPart, Treemap } from './Treemap.tsx';

type StorageViewProps = { project: string; path: string };

export function StorageView({ project, path }: StorageViewProps) {
  const isRoot = path === '';
  const storage = useQuery({ ...storageQuery(project), enabled: isRoot });
  const folder = useQuery({ ...folderQuery(project, path), enabled: !isRoot });
  const folders = useQuery(foldersQuery(project, { path, prefix: '' }));
  const error = storage.error ?? folder.error ?? folders.error;
  const whole = isRoot ? storage.data && sumKinds(storage.data) : folder.data;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Breadcrumbs project={project} path={path} onMove={null} />
      {error && <Notice look="error">{error.message}</Notice>}
      {!error && (!whole || !folders.data) && <PageSpinner />}
      {whole && folders.data && !folders.isPlaceholderData && (
        <>
          {isRoot && storage.data && whole.files > 0 && (
            <Parts project={project} title="By type" what="Type" parts={listTypes(storage.data)} />
          )}
          <Parts
            project={project}
            title="By folder"
            what="Folder"
            parts={listFolderParts(path, whole, folders.data)}
            note={
              folders.data.length >= foldersShownMax
                ? `Only the first ${foldersShownMax} folders by name are shown separately.`
                : undefined
            }
          />
        </>
      )}
    </div>
  );
}

type PartsProps = {
  project: string;
  title: string;
  /** The heading of the name column. */
  what: string;
  parts: readonly StoredPart[];
  note?: string | undefined;
};

function Parts({ project, title, what, parts, note }: PartsProps) {
  const columns = useMemo(() => makeColumns(project, what), [project, what]);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <Panel title={title} about={note ?? `${formatBytes(total)} in total. Click an area to see its files.`}>
      {parts.length === 0 ? (
        <p className="text-sm text-muted">No files here.</p>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <div className="@container">
            <Treemap project={project} label={`${title}, as areas`} parts={parts} />
          </div>
          <DataTable label={title} rows={parts} columns={columns} rowId={({ id }) => id} />
        </div>
      )}
    </Panel>
  );
}

const linkStyle =
  'inline-block min-h-6 leading-[24px] wrap-anywhere underline decoration-edge underline-offset-3 hover:decoration-ink';

function makeColumns(project: string, what: string): readonly Column<StoredPart>[] {
  return [
    {
      id: 'name',
      title: what,
      cell: ({ name, search }) =>
        search === null ? (
          name
        ) : (
          <Link to="/projects/$project/files" params={{ project }} search={search} className={linkStyle}>
            <bdi>{name}</bdi>
          </Link>
        ),
      sortBy: ({ name }) => name,
    },
    { id: 'files', title: 'Files', cell: ({ files }) => formatCount(files), sortBy: ({ files }) => files },
    { id: 'bytes', title: 'Size', cell: ({ bytes }) => formatBytes(bytes), sortBy: ({ bytes }) => bytes },
    {
      id: 'inside',
      title: '',
      cell: ({ name, search }) =>
        search?.path !== undefined && (
          <Link
            to="/projects/$project/files"
            params={{ project }}
            search={{ path: search.path, view: 'storage' }}
            className={linkStyle}
          >
            Look inside <bdi className="sr-only">{name}</bdi>
          </Link>
        ),
    },
  ];
}
