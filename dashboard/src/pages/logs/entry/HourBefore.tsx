/** Links an entry to its players' logs and files from the hour before it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LogEntry } from '../../../queries/logs.ts';
import { projectQuery } from '../../../queries/projects.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { nameKind } from '../../players/subjectNames.ts';

const hourMs = 3_600_000;
const usualIdPath = 'player.id'; // as in the guides

const linkStyle =
  'inline-flex min-h-6 items-center gap-2 justify-self-start text-sm underline decoration-edge underline-offset-3 hover:decoration-ink';

type HourBeforeProps = { project: string; entry: LogEntry };

export function HourBefore({ project, entry: { metadata, timestamp } }: HourBeforeProps) {
  const { data } = useQuery(projectQuery(project));
  const subjects = (data?.subjects ?? []).flatMap(({ kind, idPaths }) => {
    const ids = idPaths.flatMap(path => metadata[path] ?? []).filter(id => id !== '');
    return [...new Set(ids)].map(id => ({ kind, id }));
  });
  if (data?.subjects.length === 0 && metadata[usualIdPath]) return <SetUpPlayers project={project} />;
  const from = new Date(Date.parse(timestamp) - hourMs).toISOString();
  return subjects.map(({ kind, id }) => (
    <Link
      key={`${kind} ${id}`}
      to="/projects/$project/players"
      params={{ project }}
      search={{ kind, id, from, to: timestamp }}
      className={linkStyle}
    >
      <Icon name="person" className="size-3.5 shrink-0 text-muted" />
      <span className="wrap-anywhere">
        {nameKind(kind)} <bdi>{id}</bdi> in the hour before
      </span>
    </Link>
  ));
}

/** Player pages work only once an admin confirms the path. */
function SetUpPlayers({ project }: { project: string }) {
  return (
    <Link to="/projects/$project/players" params={{ project }} className={linkStyle}>
      <Icon name="person" className="size-3.5 shrink-0 text-muted" />
      Set up player pages to see a player’s logs and files together
    </Link>
  );
}
