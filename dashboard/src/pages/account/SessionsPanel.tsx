/** Lists and ends the user's sessions. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { describeUserAgent } from '../../format/userAgents.ts';
import { type Session, sessionsQuery, useSessionEnding } from '../../queries/session.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';

const ways: Readonly<Record<NonNullable<Session['way']>, string>> = {
  set_up: 'during setup',
  password: 'by password',
  code: 'by password and code',
  recovery_code: 'by password and recovery code',
  passkey: 'by passkey',
  provider: 'by the sign-in provider',
  invitation: 'by invitation',
};

export function SessionsPanel() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery);
  const ending = useSessionEnding();
  return (
    <Panel title="Sessions" about="Where you are signed in. Sessions end after two weeks of inactivity.">
      <ul className="-my-3 divide-y divide-line">
        {sessions.map(session => (
          <SessionRow key={session.id} session={session} onEnd={() => ending.mutate(session.id)} />
        ))}
      </ul>
      {ending.error && <Notice look="error">{ending.error.message}</Notice>}
    </Panel>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const browser = describeUserAgent(session.userAgent);
  return (
    <li className="flex items-center gap-4 py-3">
      <Icon name="screen" className="size-5 text-muted phone:hidden" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="font-medium" title={session.userAgent}>
          {browser} {session.current && <Badge look="accent">this one</Badge>}
        </span>
        <span className="text-sm text-muted">
          Since <Timestamp at={session.createdAt} />, from{' '}
          <span className="font-mono text-[0.9em]">{session.address}</span>
          {session.way && `, ${ways[session.way]}`}
        </span>
      </div>
      {!session.current && (
        <Button size="small" aria-label={`Sign out ${browser} from ${session.address}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
