/** Lists the installation's users, for owners. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMe } from '../../queries/session.ts';
import { type User, usersQuery } from '../../queries/users.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { InvitationsPanel } from '../invitations/InvitationsPanel.tsx';
import { InviteDialog } from '../invitations/InviteDialog.tsx';
import { DeleteUserDialog } from './DeleteUserDialog.tsx';
import { EditUserDialog } from './EditUserDialog.tsx';
import { NewUserDialog } from './NewUserDialog.tsx';

export function UsersPage() {
  const me = useMe();
  const { data: users } = useSuspenseQuery(usersQuery);
  const known = useSearch({ from: '/inside/users' });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(known.email !== undefined);
  const endCreation = () => {
    setCreating(false);
    if (known.email !== undefined) void navigate({ to: '/users', replace: true });
  };
  const [inviting, setInviting] = useState(false);
  const [editing, setEditing] = useState<User | null>(null);
  const [deleting, setDeleting] = useState<User | null>(null);
  const columns = useMemo(() => makeColumns(me.id, setEditing), [me.id]);
  return (
    <>
      <PageHead
        title="Users"
        about="Everyone who can sign in. Set project roles on the project’s Members page."
        actions={
          <>
            <Button onClick={() => setCreating(true)}>New user</Button>
            <Button look="primary" onClick={() => setInviting(true)}>
              <Icon name="plus" />
              Invite
            </Button>
          </>
        }
      />
      <div className="grid gap-6">
        <DataTable label="Users" rows={users} columns={columns} rowId={user => user.id} />
        <InvitationsPanel project={null} />
      </div>
      <InviteDialog place={null} open={inviting} onClose={() => setInviting(false)} />
      <NewUserDialog open={creating} known={known} onClose={endCreation} />
      <EditUserDialog
        user={editing}
        onClose={() => setEditing(null)}
        onDelete={user => {
          setEditing(null);
          setDeleting(user);
        }}
      />
      <DeleteUserDialog user={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function makeColumns(myId: string, onEdit: (user: User) => void): readonly Column<User>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      cell: user => (
        <div className="grid gap-0.5">
          <span className="font-medium wrap-anywhere">
            <bdi>{user.name}</bdi> {user.id === myId && <span className="font-normal text-muted">(you)</span>}
          </span>
          <span className="text-[0.87rem] wrap-anywhere text-muted">
            {user.email}
            {!user.emailVerified && ' (not verified)'}
          </span>
        </div>
      ),
      sortBy: user => user.name,
    },
    {
      id: 'owner',
      title: 'Installation',
      cell: user =>
        user.isOwner ? <Badge look="accent">owner</Badge> : <span className="text-muted">per project</span>,
      sortBy: user => (user.isOwner ? 0 : 1),
    },
    {
      id: 'since',
      title: 'Since',
      cell: user => <Timestamp at={user.createdAt} />,
      sortBy: user => user.createdAt,
    },
    {
      id: 'edit',
      title: '',
      cell: user => (
        <Button look="quiet" size="small" aria-label={`Edit ${user.name}`} onClick={() => onEdit(user)}>
          Edit
        </Button>
      ),
    },
  ];
}
