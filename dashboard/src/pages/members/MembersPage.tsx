/** Who has which role in a project. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { Empty } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { type Member, membersQuery, useRoleChange } from '../../queries/members.ts';
import { useProject } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { DataTable } from '../../widgets/DataTable.tsx';
import { InvitationsPanel } from '../invitations/InvitationsPanel.tsx';
import { InviteDialog } from '../invitations/InviteDialog.tsx';
import { AddMember } from './AddMember.tsx';
import { makeMemberColumns } from './columns.tsx';
import { RemoveDialog } from './RemoveDialog.tsx';

export function MembersPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/members' });
  const { role, name } = useProject(slug);
  const me = useMe();
  const { data: members } = useSuspenseQuery(membersQuery(slug));
  /** The address of whoever is being invited, as far as it is known. */
  const [inviting, setInviting] = useState<string | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const { mutate: changeRole, error } = useRoleChange(slug);
  const columns = useMemo(
    () => makeMemberColumns({ role, myId: me.id, onRole: changeRole, onRemove: setRemoving }),
    [role, me.id, changeRole],
  );
  const mayChange = isRoleAtLeast(role, 'admin');
  return (
    <>
      <PageHead
        title="Members"
        about="Who may see and change this project. Owners of the installation may everywhere and are not listed."
        actions={
          mayChange && (
            <Button look="primary" onClick={() => setInviting('')}>
              <Icon name="plus" />
              Invite
            </Button>
          )
        }
      />
      <div className="grid gap-6">
        {mayChange && <AddMember project={slug} role={role} onInvite={setInviting} />}
        {error && <Notice look="error">{error.message}</Notice>}
        {members.length === 0 ? (
          <Empty title="Nobody else yet">
            {mayChange
              ? 'Invite somebody by a link, or add them above by the e-mail address they sign in with.'
              : 'Only the owners of the installation see this project.'}
          </Empty>
        ) : (
          <DataTable label="Members" rows={members} columns={columns} rowId={member => member.id} />
        )}
        {mayChange && <InvitationsPanel project={slug} />}
      </div>
      <InviteDialog
        place={{ project: slug, name, role }}
        email={inviting ?? ''}
        open={inviting !== null}
        onClose={() => setInviting(null)}
      />
      <RemoveDialog project={slug} member={removing} onClose={() => setRemoving(null)} />
    </>
  );
}
