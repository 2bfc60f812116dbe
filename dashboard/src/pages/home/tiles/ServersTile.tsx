/** Lists the servers that report, and those that stopped unexpectedly. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../../format/numbers.ts';
import { type LiveSession, type Sessions, sessionsOfProjectQuery } from '../../../queries/sessions.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { nameSession } from '../../sessions/columns.tsx';
import { aboveLink, Figure, Tile } from './Tile.tsx';

const shownMax = 4;

export function ServersTile({ project }: { project: string }) {
  const found = useQuery(sessionsOfProjectQuery(project));
  return (
    <Tile
      title="Live servers"
      link={{ to: '/projects/$project/sessions', params: { project } }}
      found={found}
    >
      {sessions => <Servers project={project} {...sessions} />}
    </Tile>
  );
}

function Servers({ project, sessions, quiet }: Sessions & { project: string }) {
  if (sessions.length + quiet.length === 0) return <NoServers project={project} />;
  // Shows some of both kinds.
  const lost = quiet.slice(0, Math.max(shownMax / 2, shownMax - sessions.length));
  const live = sessions.slice(0, shownMax - lost.length);
  const rest = sessions.length + quiet.length - lost.length - live.length;
  return (
    <>
      <Figure figure={formatCount(sessions.length)}>
        {quiet.length > 0 && (
          <span className="font-medium text-accent">{formatCount(quiet.length)} went silent</span>
        )}
      </Figure>
      <ul className="divide-y divide-line/60 text-sm">
        {lost.map(session => (
          <Server key={session.id} session={session} isQuiet />
        ))}
        {live.map(session => (
          <Server key={session.id} session={session} />
        ))}
      </ul>
      {rest > 0 && <p className="text-sm text-muted">and {formatCount(rest)} more</p>}
    </>
  );
}

function Server({ session, isQuiet = false }: { session: LiveSession; isQuiet?: boolean }) {
  const [name, place] = nameSession(session);
  return (
    <li className="flex items-baseline gap-2 py-1">
      <span
        aria-hidden="true"
        className={`size-2 shrink-0 rounded-full ${isQuiet ? 'border border-accent' : 'bg-good'}`}
      />
      <span className="min-w-0 flex-1 truncate" title={`${name} ${place}`}>
        <bdi>{name}</bdi> <bdi className="text-muted">{place}</bdi>
      </span>
      <span className={isQuiet ? 'text-accent' : 'text-muted'}>
        {isQuiet && 'quiet, '}
        <span className="sr-only">last heartbeat </span>
        <Timestamp at={session.refreshedAt} />
      </span>
    </li>
  );
}

function NoServers({ project }: { project: string }) {
  return (
    <>
      <Figure figure="None" />
      <p className="text-sm text-pretty text-muted">
        Connected game servers appear here with their last heartbeat.{' '}
        <Link to="/projects/$project/connect/{-$tool}" params={{ project }} className={aboveLink}>
          Connect one
        </Link>
      </p>
    </>
  );
}
