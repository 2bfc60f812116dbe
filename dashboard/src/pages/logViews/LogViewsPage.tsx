/** Lists a project's saved views with their searches and authors. Users can rename and delete them. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { type LogView, logViewsQuery, useViewRemoval } from '../../queries/logViews.ts';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { openView, parseSearch } from '../logs/search.ts';
import { useZone } from '../logs/view.ts';
import { usePinning } from '../logs/views/PinAction.tsx';
import { isPinned } from '../logs/views/pins.ts';
import { RenameViewDialog } from '../logs/views/RenameViewDialog.tsx';
import { describeLook } from './viewText.ts';

export function LogViewsPage() {
  const { project } = useParams({ from: '/inside/projects/$project/log-views' });
  const { data: views } = useSuspenseQuery(logViewsQuery(project));
  const [removing, setRemoving] = useState<LogView | null>(null);
  const [renaming, setRenaming] = useState<LogView | null>(null);
  const mayChange = isRoleAtLeast(useProject(project).role, 'member');
  const toggle = usePinning(project, views);
  const deeds = { onRename: setRenaming, onRemove: setRemoving, onPin: toggle };
  const columns = makeViewColumns(project, mayChange ? deeds : null);
  const toLogs = (
    <Link to="/projects/$project/logs" params={{ project }} className={styleButton()}>
      Search the logs
    </Link>
  );
  return (
    <>
      <PageHead
        title="Log views"
        about="Saved searches, shared with everyone in the project."
        actions={views.length > 0 && toLogs}
      />
      {views.length === 0 ? (
        <EmptyState title="No saved views yet" action={toLogs}>
          Search the logs, then save the search under “Views”.
        </EmptyState>
      ) : (
        <DataTable label="Views" rows={views} columns={columns} rowId={view => view.id} />
      )}
      {renaming && <RenameViewDialog project={project} view={renaming} onClose={() => setRenaming(null)} />}
      <RemoveDialog project={project} view={removing} onClose={() => setRemoving(null)} />
    </>
  );
}

type Deeds = {
  onPin: (view: LogView) => void;
  onRename: (view: LogView) => void;
  onRemove: (view: LogView) => void;
};

function makeViewColumns(project: string, deeds: Deeds | null): readonly Column<LogView>[] {
  const columns: Column<LogView>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: view => <ViewLink project={project} view={view} />,
      sortBy: view => view.name,
    },
    { id: 'search', title: 'Searches for', cell: view => <Question query={view.query} /> },
    {
      id: 'created',
      title: 'Created',
      cell: view => (
        <div className="grid gap-0.5">
          <Timestamp at={view.createdAt} />
          <span className="text-[0.82rem] wrap-anywhere text-muted">
            {view.createdBy.replace(/^user /, '')}
          </span>
        </div>
      ),
      sortBy: view => view.createdAt,
    },
  ];
  if (deeds) {
    columns.push({
      id: 'deeds',
      title: '',
      cell: view => (
        <>
          <Button
            look="quiet"
            size="small"
            aria-label={`${isPinned(view) ? 'Remove from Home' : 'Pin to Home'}: ${view.name}`}
            onClick={() => deeds.onPin(view)}
          >
            {isPinned(view) ? 'Remove from Home' : 'Pin to Home'}
          </Button>
          <Button
            look="quiet"
            size="small"
            aria-label={`Rename ${view.name}`}
            onClick={() => deeds.onRename(view)}
          >
            Rename
          </Button>
          <Button
            look="quiet"
            size="small"
            aria-label={`Delete ${view.name}`}
            onClick={() => deeds.onRemove(view)}
          >
            Delete
          </Button>
        </>
      ),
    });
  }
  return columns;
}

function ViewLink({ project, view }: { project: string; view: LogView }) {
  return (
    <Link
      to="/projects/$project/logs"
      params={{ project }}
      search={openView(view)}
      className="inline-block min-h-[24px] font-medium underline decoration-edge underline-offset-3 hover:decoration-ink"
    >
      {view.name}
    </Link>
  );
}

function Question({ query }: { query: string }) {
  const zone = useZone();
  const search = parseSearch(query);
  return (
    <div className="grid gap-0.5 wrap-anywhere">
      {search.query === undefined ? (
        <span>All entries</span>
      ) : (
        <bdi className="font-mono text-[0.8rem]">{search.query}</bdi>
      )}
      <ul className="flex flex-wrap gap-x-3 text-[0.82rem] text-muted">
        {describeLook(search, zone).map(part => (
          <li key={part}>
            <bdi>{part}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

type RemoveDialogProps = { project: string; view: LogView | null; onClose: () => void };

function RemoveDialog({ project, view, onClose }: RemoveDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(view, useViewRemoval(project), {
    onClose,
    onDone: () => showToast('View deleted'),
  });
  return (
    <ConfirmDialog
      title={`Delete the view ${isolate(shown?.name ?? '')}?`}
      action="Delete view"
      {...dialog}
      onConfirm={() => view && confirm(view.id)}
    >
      <p>It is deleted for everyone in the project. Log entries are not affected.</p>
    </ConfirmDialog>
  );
}
