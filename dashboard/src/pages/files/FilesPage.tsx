/** Finds, browses, opens and uploads a project's files. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { filePagesQuery } from '../../queries/files.ts';
import { useProject } from '../../queries/projects.ts';
import { stateQuery } from '../../queries/session.ts';
import { addUploads } from '../../queries/uploads.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { FileActionDialogs } from './actions/FileActionDialogs.tsx';
import { useFileActions } from './actions/fileActions.ts';
import { DropZone } from './DropZone.tsx';
import { FileBar } from './FileBar.tsx';
import { FileCollection } from './list/FileCollection.tsx';
import { useSelection } from './list/selection.ts';
import { composeFileQuestion } from './search.ts';
import { StorageView } from './storage/StorageView.tsx';
import { FolderPanel, useFolderPanel } from './tree/FolderPanel.tsx';
import { joinFolders, UploadButton } from './UploadButton.tsx';
import { UploadLinkButton } from './UploadLinkButton.tsx';
import { useFileSearch } from './useFileSearch.ts';
import { useMoveInto } from './useMoveInto.ts';
import { Viewer } from './viewer/Viewer.tsx';

export function FilesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/files' });
  const { search, change, open } = useFileSearch();
  const { role, trashDays } = useProject(project);
  const mayChange = isRoleAtLeast(role, 'member');
  const pages = useInfiniteQuery(filePagesQuery(project, composeFileQuestion(search)));
  const files = useMemo(() => pages.data?.pages.flatMap(page => page.data) ?? [], [pages.data]);
  const selection = useSelection(files);
  const actions = useFileActions();
  const tree = useFolderPanel();
  const isTrash = search.trash === 'true';
  const folder = isTrash ? '' : (search.path ?? '');
  const move = useMoveInto(project, folder);
  const onMove = mayChange && !isTrash ? move : null;
  const shared = { project, files, mayChange, actions, onOpen: open, onChange: change };
  return (
    <>
      <FilesHead project={project} folder={folder} isTrash={isTrash} mayChange={mayChange} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <FileBar project={project} search={search} tree={tree} onChange={change} refusal={pages.error} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[15.5rem_minmax(0,1fr)]">
          <FolderPanel
            isOpen={tree.isOpen}
            project={project}
            path={folder}
            isTrash={isTrash}
            trashDays={trashDays}
            onMove={onMove}
          />
          {search.view === 'storage' && !isTrash ? (
            <StorageView project={project} path={folder} />
          ) : (
            <FileCollection {...shared} pages={pages} search={search} selection={selection} onMove={onMove} />
          )}
        </div>
      </div>
      <Viewer {...shared} open={search.file ?? null} />
      <FileActionDialogs
        project={project}
        actions={actions}
        // Closes the viewer instead of opening the next file, or a second click on Delete would hit that one.
        onGone={() => {
          selection.clear();
          if (search.file !== undefined) open(undefined);
        }}
      />
    </>
  );
}

type FilesHeadProps = { project: string; folder: string; isTrash: boolean; mayChange: boolean };

/** The heading with its buttons; files may also be dropped anywhere on the page. */
function FilesHead({ project, folder, isTrash, mayChange }: FilesHeadProps) {
  const { fileSizeBytesMax } = useSuspenseQuery(stateQuery).data;
  const addTo = (chosen: readonly File[], place: string) =>
    addUploads(chosen, { project, folder: place, fileSizeBytesMax });
  const addBelow = (chosen: readonly File[], inner: string) => addTo(chosen, joinFolders(folder, inner));
  return (
    <div className="-mb-2">
      <DropZone onFiles={mayChange ? addBelow : null} folder={folder} />
      <PageHead
        title={isTrash ? 'Trash' : 'Files'}
        actions={
          mayChange &&
          !isTrash && (
            <>
              <UploadLinkButton project={project} folder={folder} />
              <UploadButton
                project={project}
                folder={folder}
                onFiles={addTo}
                fileSizeBytesMax={fileSizeBytesMax}
              />
            </>
          )
        }
      />
    </div>
  );
}
