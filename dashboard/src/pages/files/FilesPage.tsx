/** The files of a project: looked through, opened, brought in by dropping or pasting them here, deleted. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { filePagesQuery } from '../../queries/files.ts';
import { useProject } from '../../queries/projects.ts';
import { stateQuery } from '../../queries/session.ts';
import { addUploads } from '../../queries/uploads.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import { DropZone } from './DropZone.tsx';
import { FileFilters } from './FileFilters.tsx';
import { FilePreview } from './FilePreview.tsx';
import { FileResults } from './FileResults.tsx';
import { NoFiles } from './NoFiles.tsx';
import { askFiles } from './search.ts';
import { UploadButton } from './UploadButton.tsx';
import { UploadLinkButton } from './UploadLinkButton.tsx';
import { useFileSearch } from './useFileSearch.ts';

export function FilesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/files' });
  const { search, change, open } = useFileSearch();
  const mayChange = isRoleAtLeast(useProject(project).role, 'member');
  const pages = useInfiniteQuery(filePagesQuery(project, askFiles(search)));
  const files = useMemo(() => pages.data?.pages.flatMap(page => page.data) ?? [], [pages.data]);
  const { fileSizeBytesMax } = useSuspenseQuery(stateQuery).data;
  const folder = search.path ?? '';
  const addHere = (chosen: readonly File[]) => addUploads(chosen, { project, folder, fileSizeBytesMax });
  const total = pages.data?.pages[0]?.pagination.total ?? 0;
  const isFiltered = Object.values(askFiles(search)).some(Boolean);
  const clear = () => change(Object.fromEntries(Object.keys(askFiles(search)).map(key => [key, undefined])));
  return (
    <>
      <DropZone onFiles={mayChange ? addHere : null} folder={folder} />
      <div className="-mb-2">
        <PageHead
          title="Files"
          actions={
            mayChange && (
              <>
                <UploadLinkButton project={project} folder={folder} />
                <UploadButton onFiles={addHere} />
              </>
            )
          }
        />
      </div>
      <div className="grid gap-4">
        <FileFilters project={project} search={search} onChange={change} />
        {pages.error && <Notice look="error">{pages.error.message}</Notice>}
        {pages.isPending && <PageSpinner />}
        {pages.data && files.length === 0 && (
          <NoFiles project={project} mayUpload={mayChange} onClear={isFiltered ? clear : null} />
        )}
        {files.length > 0 && (
          <FileResults
            project={project}
            files={files}
            total={total}
            pages={pages}
            isList={search.view === 'list'}
            mayDelete={mayChange}
            onOpen={open}
          />
        )}
      </div>
      <FilePreview
        project={project}
        open={search.file ?? null}
        files={files}
        mayDelete={mayChange}
        onOpen={open}
        onChange={change}
      />
    </>
  );
}
