/** Shows the files found, with breadcrumbs and actions. */
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { useProject } from '../../../queries/projects.ts';
import { isRefusedQuery } from '../../../queryBox/queryErrors.ts';
import { useKeptFocus } from '../../../ui/hooks/useKeptFocus.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { PageSpinner } from '../../../ui/Spinner.tsx';
import type { FileActions } from '../actions/fileActions.ts';
import { SelectionBar } from '../actions/SelectionBar.tsx';
import type { MoveInto } from '../draggedFiles.ts';
import { type ChangeFileSearch, type FileSearch, isNarrowed } from '../search.ts';
import { Breadcrumbs } from '../tree/Breadcrumbs.tsx';
import { FileList } from './FileList.tsx';
import { MoreFiles } from './MoreFiles.tsx';
import { NoFiles } from './NoFiles.tsx';
import type { Selection } from './selection.ts';

type Page = { data: readonly FileRecord[]; pagination: { total: number } };
type Pages = Pick<
  UseInfiniteQueryResult<{ pages: readonly Page[] }>,
  'data' | 'error' | 'isPending' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

type FileCollectionProps = {
  project: string;
  files: readonly FileRecord[];
  pages: Pages;
  search: FileSearch;
  selection: Selection;
  actions: FileActions;
  mayChange: boolean;
  /** null if the user may not move files. */
  onMove: MoveInto | null;
  onOpen: (file: string) => void;
  onChange: ChangeFileSearch;
};

export function FileCollection(props: FileCollectionProps) {
  const { project, files, pages, search, selection, actions, mayChange } = props;
  const isTrash = search.trash === 'true';
  const total = pages.data?.pages[0]?.pagination.total ?? 0;
  const keptFocus = useKeptFocus('[role=listbox]');
  return (
    <div {...keptFocus} className="grid grid-cols-[minmax(0,1fr)] gap-3 outline-none">
      {isTrash ? (
        <TrashNote project={project} />
      ) : (
        <Breadcrumbs project={project} path={search.path ?? ''} onMove={props.onMove} />
      )}
      {/* The query box shows errors in the query. */}
      {pages.error && !isRefusedQuery(pages.error) && <Notice look="error">{pages.error.message}</Notice>}
      {pages.isPending && <PageSpinner />}
      {pages.data && files.length === 0 && (
        <NoFiles
          project={project}
          isTrash={isTrash}
          mayUpload={mayChange}
          isFolder={!isTrash && !isNarrowed(search)}
          onClear={
            isNarrowed(search) || search.path
              ? () => props.onChange({ query: undefined, type: undefined, path: undefined })
              : null
          }
        />
      )}
      {files.length > 0 && (
        <>
          <SelectionBar
            project={project}
            files={files}
            total={total}
            selection={selection}
            isTrash={isTrash}
            mayChange={mayChange}
            search={search}
            onAsk={actions.ask}
            onChooseEverything={() => void loadAll(pages).then(selection.choose)}
          />
          <FileItems {...props} isTrash={isTrash} />
          <MoreFiles pages={pages} />
        </>
      )}
    </div>
  );
}

function FileItems(props: FileCollectionProps & { isTrash: boolean }) {
  const { project, files, search, selection, actions, mayChange, isTrash, onMove, onOpen } = props;
  const chosen = files.filter(({ id }) => selection.chosen.has(id));
  const meant = chosen.length > 0 ? chosen : files.filter(({ id }) => id === selection.active);
  return (
    <FileList
      project={project}
      files={files}
      selection={selection}
      isList={search.view === 'list'}
      isMovable={onMove !== null}
      onOpen={onOpen}
      onDelete={mayChange ? () => actions.ask(isTrash ? 'deleteForever' : 'delete', meant) : null}
      onRename={mayChange && !isTrash ? () => actions.ask('rename', meant.slice(0, 1)) : null}
    />
  );
}

function TrashNote({ project }: { project: string }) {
  const { trashDays } = useProject(project);
  if (trashDays === null) return null;
  return (
    <p className="text-sm text-muted">
      Deleted files stay here for {trashDays} {trashDays === 1 ? 'day' : 'days'}. Restored files keep their
      URLs.
    </p>
  );
}

/** Loads page after page to the end; returns all ids. */
async function loadAll(pages: Pages): Promise<string[]> {
  let { hasNextPage, data } = pages;
  while (hasNextPage) {
    const next = await pages.fetchNextPage();
    if (next.isError) break;
    ({ hasNextPage, data } = next);
  }
  return data?.pages.flatMap(page => page.data.map(({ id }) => id)) ?? [];
}
