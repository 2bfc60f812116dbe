/** Opens, updates and renames the project's saved views. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type LogView, logViewsQuery, useViewChange } from '../../../queries/logViews.ts';
import { useProject } from '../../../queries/projects.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { styleButton } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu, MenuAction, MenuLine, MenuLink } from '../../../ui/Menu.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { type LogSearch, openView, writeView } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { PinAction, usePinning } from './PinAction.tsx';
import { keepPin } from './pins.ts';
import { RenameViewDialog } from './RenameViewDialog.tsx';
import { SaveViewDialog } from './SaveViewDialog.tsx';

type ViewsMenuProps = { project: string; search: LogSearch; onChange: ChangeSearch };

export function ViewsMenu({ project, search, onChange }: ViewsMenuProps) {
  const { data: views = [] } = useQuery(logViewsQuery(project));
  const [asking, setAsking] = useState<'save' | 'rename' | null>(null);
  const mayChange = isRoleAtLeast(useProject(project).role, 'member');
  const change = useViewChange(project);
  const toggle = usePinning(project, views);
  const current = findCurrent(views, search);
  const isChanged = current !== undefined && writeView(openView(current)) !== writeView(search);
  const update = (view: LogView) =>
    change.mutate(
      { id: view.id, query: keepPin(view, writeView(search)) },
      { onSuccess: () => showToast('View updated'), onError: ({ message }) => showToast(message) },
    );
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={styleButton()}>
            <Icon name="bookmark" className={current ? 'text-accent' : ''} />
            <span className="max-w-40 truncate phone:sr-only">{current?.name ?? 'Views'}</span>
            {isChanged && <span className="-ml-1 text-muted phone:sr-only">(changed)</span>}
          </button>
        }
      >
        <ViewLinks project={project} views={views} current={current} />
        <MenuLine />
        {mayChange && current && isChanged && <UpdateAction view={current} onUpdate={update} />}
        {mayChange && current && (
          <MenuAction onClick={() => setAsking('rename')}>
            <Icon name="pencil" />
            Rename this view…
          </MenuAction>
        )}
        {mayChange && current && <PinAction view={current} onToggle={toggle} />}
        {mayChange && (
          <MenuAction onClick={() => setAsking('save')}>
            <Icon name="plus" />
            Save this search…
          </MenuAction>
        )}
        <MenuLink to={<Link to="/projects/$project/log-views" params={{ project }} />}>
          <Icon name="bars" />
          All views
        </MenuLink>
      </Menu>
      <ViewDialogs
        project={project}
        search={search}
        views={views}
        current={current}
        asking={asking}
        onChange={onChange}
        onClose={() => setAsking(null)}
      />
    </>
  );
}

function UpdateAction({ view, onUpdate }: { view: LogView; onUpdate: (view: LogView) => void }) {
  return (
    <MenuAction onClick={() => onUpdate(view)}>
      <Icon name="again" />
      <span className="min-w-0 truncate">
        Update <bdi>{view.name}</bdi>
      </span>
    </MenuAction>
  );
}

type ViewDialogsProps = ViewLinksProps &
  Pick<ViewsMenuProps, 'search' | 'onChange'> & { asking: 'save' | 'rename' | null; onClose: () => void };

function ViewDialogs({ project, search, views, current, asking, onChange, onClose }: ViewDialogsProps) {
  if (asking === 'rename')
    return current ? <RenameViewDialog project={project} view={current} onClose={onClose} /> : null;
  if (asking === null) return null;
  return (
    <SaveViewDialog
      project={project}
      search={search}
      views={views}
      onClose={onClose}
      onSaved={({ id }) => onChange({ view: id })}
    />
  );
}

type ViewLinksProps = { project: string; views: readonly LogView[]; current: LogView | undefined };

function ViewLinks({ project, views, current }: ViewLinksProps) {
  if (views.length === 0) return <p className="px-2.5 py-1.5 text-sm text-muted">No saved views yet.</p>;
  return views.map(view => (
    <MenuLink
      key={view.id}
      to={<Link to="/projects/$project/logs" params={{ project }} search={openView(view)} />}
    >
      <span className="min-w-0 truncate">{view.name}</span>
      {view.id === current?.id && <Icon name="check" className="ml-auto text-accent" />}
    </MenuLink>
  ));
}

/** Returns the view opened last, even if the search changed since; else a view with the same search. */
function findCurrent(views: readonly LogView[], search: LogSearch): LogView | undefined {
  const opened = views.find(({ id }) => id === search.view);
  return opened ?? views.find(view => writeView(openView(view)) === writeView(search));
}
