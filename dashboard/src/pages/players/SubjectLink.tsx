/** Links a metadata value to its player's page, if its path holds player ids. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectQuery } from '../../queries/projects.ts';
import { Icon } from '../../ui/Icon.tsx';

type SubjectLinkProps = { project: string; path: string; value: string };

export function SubjectLink({ project, path, value }: SubjectLinkProps) {
  const { data } = useQuery(projectQuery(project));
  const kind = data?.subjects.find(({ idPaths }) => idPaths.includes(path));
  if (kind === undefined || value === '') return null;
  const label = `Open the page of this ${kind.kind}`;
  return (
    <Link
      to="/projects/$project/players"
      params={{ project }}
      search={{ kind: kind.kind, id: value }}
      aria-label={label}
      title={label}
      className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
    >
      <Icon name="person" className="size-3.5" />
    </Link>
  );
}
