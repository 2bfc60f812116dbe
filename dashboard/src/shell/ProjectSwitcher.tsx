/** Shows the open project, and switches to others. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Project, projectsQuery } from '../queries/projects.ts';
import { useMe } from '../queries/session.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu, MenuLine, MenuLink } from '../ui/Menu.tsx';

export function ProjectSwitcher({ current }: { current: Project | undefined }) {
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const me = useMe();
  if (projects.length === 0 && !me.isOwner) return null;
  return (
    <Menu trigger={<SwitchButton name={current?.name ?? 'Choose a project'} slug={current?.project ?? ''} />}>
      {projects.map(({ project, name }) => (
        <MenuLink key={project} to={<Link to="/projects/$project" params={{ project }} />}>
          <span className="grid min-w-0">
            <span className="truncate font-medium">{name}</span>
            <span className="truncate font-mono text-xs text-muted">{project}</span>
          </span>
          {project === current?.project && <Icon name="check" className="ml-auto text-accent" />}
        </MenuLink>
      ))}
      {me.isOwner && projects.length > 0 && <MenuLine />}
      {me.isOwner && (
        <MenuLink to={<Link to="/new-project" />}>
          <Icon name="plus" />
          New project
        </MenuLink>
      )}
    </Menu>
  );
}

/** The menu passes its props and ref to the button. */
function SwitchButton({ name, slug, ...rest }: { name: string; slug: string }) {
  return (
    <button
      type="button"
      {...rest}
      className="relative flex items-center gap-3 rounded-lg border border-line bg-panel px-3 py-2 text-left shadow-panel transition-colors hover:border-edge"
    >
      <span className="grid min-w-0 flex-1">
        <span className="truncate text-sm font-medium">{name}</span>
        <span className="truncate font-mono text-xs text-muted">{slug}</span>
      </span>
      <span className="sr-only">switch project</span>
      <Icon name="upDown" className="text-muted" />
    </button>
  );
}
