/** Lists open invitations, and those of the last month with who used them. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { type Invitation, invitationsQuery, useInvitationRevocation } from '../../queries/invitations.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { showToast } from '../../ui/Toasts.tsx';

/** Hidden until there are invitations. */
export function InvitationsPanel({ project }: { project: string | null }) {
  const { data: invitations } = useSuspenseQuery(invitationsQuery(project));
  const revocation = useInvitationRevocation(project);
  if (invitations.length === 0) return null;
  const revoke = (invitation: string) =>
    revocation.mutate(invitation, { onSuccess: () => showToast('Invitation withdrawn') });
  return (
    <Panel title="Invitations" about="Open invitations, and those of the last month.">
      <ul className="-my-3 divide-y divide-line">
        {invitations.map(invitation => (
          <InvitationRow key={invitation.id} invitation={invitation} onRevoke={() => revoke(invitation.id)} />
        ))}
      </ul>
      {revocation.error && <Notice look="error">{revocation.error.message}</Notice>}
    </Panel>
  );
}

function InvitationRow({ invitation, onRevoke }: { invitation: Invitation; onRevoke: () => void }) {
  const { email, role, state, createdAt, createdBy } = invitation;
  const whom = email ?? 'Anyone with the link';
  return (
    <li className="flex items-center gap-4 py-3">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="font-medium wrap-anywhere">
          <bdi>{whom}</bdi> {role && <Badge look="strong">{role}</Badge>}
        </span>
        <span className="text-sm text-muted">
          <State invitation={invitation} /> · invited <Timestamp at={createdAt} /> by{' '}
          <span className="wrap-anywhere">{createdBy.replace(/^user /, '')}</span>
        </span>
      </div>
      {state === 'open' && (
        <Button size="small" aria-label={`Withdraw the invitation for ${whom}`} onClick={onRevoke}>
          Withdraw
        </Button>
      )}
    </li>
  );
}

function State({ invitation: { state, expiresAt, usedAt, usedBy } }: { invitation: Invitation }) {
  if (state === 'used' && usedAt !== null) {
    return (
      <>
        Used by {usedBy ?? 'a deleted user'} <Timestamp at={usedAt} />
      </>
    );
  }
  if (state === 'ended') return 'Ended: its creator can no longer invite';
  return (
    <>
      {state === 'expired' ? 'Expired' : 'Expires'} <Timestamp at={expiresAt} />
    </>
  );
}
