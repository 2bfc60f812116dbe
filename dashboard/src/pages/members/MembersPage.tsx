/** Lists a project's members and their roles. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { type Member, membersQuery, type RoleChange, useRoleChange } from '../../queries/members.ts';
import { useProject } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import { tokensQuery } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { InvitationsPanel } from '../invitations/InvitationsPanel.tsx';
import { InviteDialog } from '../invitations/InviteDialog.tsx';
import { AddMember } from './AddMember.tsx';
import { makeMemberColumns } from './columns.tsx';
import { DemoteDialog, type Demotion } from './DemoteDialog.tsx';
import { isMadeBy, isWithinRole } from './MadeTokens.tsx';
import { RemoveDialog } from './RemoveDialog.tsx';

export function MembersPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/members' });
  const { role, name } = useProject(slug);
  const me = useMe();
  const { data: members } = useSuspenseQuery(membersQuery(slug));
  /** The typed email address of the person to invite. */
  const [inviting, setInviting] = useState<string | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [demotion, setDemotion] = useState<Demotion | null>(null);
  const { mutate: setRole, error } = useRoleChange(slug);
  const changeRole = useRoleQuestion(slug, { members, setRole, setDemotion });
  const columns = useMemo(
    () => makeMemberColumns({ role, myId: me.id, onRole: changeRole, onRemove: setRemoving }),
    [role, me.id, changeRole],
  );
  const mayChange = isRoleAtLeast(role, 'admin');
  return (
    <>
      <PageHead
        title="Members"
        about="People with access to this project. Installation owners can access every project and aren’t listed."
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
          <EmptyState title="No other members yet">
            {mayChange
              ? 'Invite someone with a link, or add them above by the email address they sign in with.'
              : 'Only installation owners can see this project.'}
          </EmptyState>
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
      <DemoteDialog demotion={demotion} onRole={setRole} onClose={() => setDemotion(null)} />
      <RemoveDialog project={slug} member={removing} onClose={() => setRemoving(null)} />
    </>
  );
}

type RoleQuestion = {
  members: readonly Member[];
  setRole: (change: RoleChange) => void;
  setDemotion: (demotion: Demotion) => void;
};

/** Sets the role at once, or asks first if that ends tokens of the member. */
function useRoleQuestion(project: string, { members, setRole, setDemotion }: RoleQuestion) {
  const queries = useQueryClient();
  return useCallback(
    async ({ id, role }: RoleChange) => {
      const member = members.find(each => each.id === id);
      const all = await queries.fetchQuery(tokensQuery(project)).catch(() => []);
      const tokens = all.filter(token => member && isMadeBy(token, member) && !isWithinRole(token, role));
      if (member && tokens.length > 0) setDemotion({ member, role, tokens });
      else setRole({ id, role });
    },
    [project, members, setRole, setDemotion, queries],
  );
}
