/** Lists the game servers that report now: since when and with which token. Users can end a session. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useProject } from '../../queries/projects.ts';
import { type LiveSession, sessionsOfProjectQuery } from '../../queries/sessions.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { styleButton } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { ConnectLink } from '../connect/ConnectLink.tsx';
import { makeSessionColumns } from './columns.tsx';
import { EndSessionDialog } from './EndSessionDialog.tsx';
import { ServerDialog } from './ServerDialog.tsx';

export function LiveSessionsPage() {
  const { project } = useParams({ from: '/inside/projects/$project/sessions' });
  const { sessions, quiet } = useSuspenseQuery(sessionsOfProjectQuery(project)).data;
  const [ending, setEnding] = useState<LiveSession | null>(null);
  const { role } = useProject(project);
  const [mayEnd, mayAlert] = [isRoleAtLeast(role, 'member'), isRoleAtLeast(role, 'admin')];
  const [asked, setAsked] = useState<LiveSession | null>(null);
  const columns = useMemo(
    () => makeSessionColumns({ onEnd: mayEnd ? setEnding : null, onAsk: setAsked }),
    [mayEnd],
  );
  return (
    <>
      <PageHead
        title="Live sessions"
        about="Game servers reporting to this project. A session ends 30 minutes after its last heartbeat."
        actions={mayAlert && <QuietLink project={project} />}
      />
      {sessions.length === 0 ? (
        <EmptyState title="No servers connected" action={<ConnectLink project={project} />}>
          A session appears here when a game server reports with a media or logs token of this project.
        </EmptyState>
      ) : (
        <DataTable label="Live sessions" rows={sessions} columns={columns} rowId={session => session.id} />
      )}
      {quiet.length > 0 && <QuietServers quiet={quiet} />}
      <ServerDialog project={project} session={asked} mayAct={mayEnd} onClose={() => setAsked(null)} />
      <EndSessionDialog project={project} session={ending} onClose={() => setEnding(null)} />
    </>
  );
}

function QuietLink({ project }: { project: string }) {
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ want: 'quiet' }}
      className={styleButton()}
    >
      <Icon name="bell" />
      Alert me when one goes silent
    </Link>
  );
}

const quietColumns = makeSessionColumns({ onEnd: null, onAsk: null }).filter(({ id }) => id !== 'expires');

function QuietServers({ quiet }: { quiet: readonly LiveSession[] }) {
  return (
    <section className="mt-8 grid gap-3" aria-label="Went silent">
      <header>
        <h2 className="text-lg font-semibold tracking-tight">Went silent</h2>
        <p className="text-sm text-muted">
          They stopped reporting in the last day without ending their session.
        </p>
      </header>
      <DataTable label="Went silent" rows={quiet} columns={quietColumns} rowId={session => session.id} />
    </section>
  );
}
