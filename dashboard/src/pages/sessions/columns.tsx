/** Columns of the list of live sessions. */

import type { LiveSession } from '../../queries/sessions.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';

/** Names a session in two parts, the more telling one first. */
export function nameSession({ endpoint, resourceName, universeId, jobId }: LiveSession): [string, string] {
  if (resourceName !== undefined) return [resourceName, endpoint ?? ''];
  return [`Universe ${universeId ?? '?'}`, `job ${jobId ?? '?'}`];
}

const platforms: Readonly<Record<string, string>> = { server_a: 'FiveM', server_b: 'Roblox' };

type SessionChoices = {
  /** null if the user may only view. */
  onEnd: OnSession | null;
  /** null for servers that stopped reporting. */
  onAsk: OnSession | null;
};

export function makeSessionColumns({ onEnd, onAsk }: SessionChoices): readonly Column<LiveSession>[] {
  const columns: Column<LiveSession>[] = [
    {
      id: 'server',
      title: 'Server',
      cell: session => <ServerCell session={session} />,
      sortBy: session => nameSession(session).join(' '),
    },
    {
      id: 'type',
      title: 'Platform',
      cell: ({ sdkType }) => <Badge look="strong">{platforms[sdkType] ?? sdkType}</Badge>,
      sortBy: ({ sdkType }) => platforms[sdkType] ?? sdkType,
    },
    { id: 'token', title: 'Opened by', cell: session => <OpenerCell session={session} /> },
    {
      id: 'seen',
      title: 'Last heartbeat',
      cell: ({ refreshedAt }) => <Timestamp at={refreshedAt} />,
      sortBy: ({ refreshedAt }) => refreshedAt,
    },
    {
      id: 'expires',
      title: 'Expires',
      cell: ({ expiresAt }) => <Timestamp at={expiresAt} />,
      sortBy: ({ expiresAt }) => expiresAt,
    },
  ];
  if (onAsk) columns.push(makeAskColumn(onAsk));
  if (onEnd) columns.push(makeEndColumn(onEnd));
  return columns;
}

type OnSession = (session: LiveSession) => void;

function makeAskColumn(onAsk: OnSession): Column<LiveSession> {
  const cell = (session: LiveSession) => (
    <Button
      look="quiet"
      size="small"
      aria-label={`Details of ${nameSession(session).join(' ')}`}
      onClick={() => onAsk(session)}
    >
      Details
    </Button>
  );
  const hasAddress = ({ endpoint }: LiveSession) => endpoint !== undefined;
  return { id: 'ask', title: '', cell: session => hasAddress(session) && cell(session) };
}

function makeEndColumn(onEnd: OnSession): Column<LiveSession> {
  return {
    id: 'end',
    title: '',
    cell: session => (
      <Button
        look="quiet"
        size="small"
        aria-label={`End the session of ${nameSession(session).join(' ')}`}
        onClick={() => onEnd(session)}
      >
        End
      </Button>
    ),
  };
}

function ServerCell({ session }: { session: LiveSession }) {
  const [name, place] = nameSession(session);
  return (
    <div className="grid min-w-36 gap-0.5">
      <span className="font-medium wrap-anywhere">{name}</span>
      <span className="font-mono text-[0.82rem] wrap-anywhere text-muted">{place}</span>
    </div>
  );
}

function OpenerCell({ session }: { session: LiveSession }) {
  return (
    <div className="grid min-w-28 gap-0.5">
      {session.openedBy.map(({ prefix, name, kind }) => (
        <span key={prefix} className="wrap-anywhere" title={`A ${kind} token`}>
          {name || <span className="font-mono text-[0.9em]">{prefix}…</span>}
        </span>
      ))}
      <span className="text-[0.82rem] text-muted">
        opened <Timestamp at={session.createdAt} />
      </span>
    </div>
  );
}
