/** Columns of the list of members. */
import type { Role } from '@tapedeck/client';
import type { Member } from '../../queries/members.ts';
import { isRoleAtLeast, roleMeanings, rolesUpTo } from '../../roles.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Select } from '../../ui/forms/Select.tsx';

type MemberColumns = {
  role: Role;
  myId: string;
  onRole: (change: { id: string; role: Role }) => void;
  onRemove: (member: Member) => void;
};

export function makeMemberColumns({
  role,
  myId,
  onRole,
  onRemove,
}: MemberColumns): readonly Column<Member>[] {
  const mayChange = (member: Member) => isRoleAtLeast(role, 'admin') && isRoleAtLeast(role, member.role);
  const options = rolesUpTo(role).map(value => ({ value, label: value }));
  const columns: Column<Member>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: member => <Person member={member} isMe={member.id === myId} />,
      sortBy: member => member.name,
    },
    {
      id: 'role',
      title: 'Role',
      cell: member =>
        mayChange(member) ? (
          // The fixed width keeps a long name from squeezing it.
          <span className="grid w-28">
            <Select
              small
              aria-label={`Role of ${member.name}`}
              value={member.role}
              options={options}
              onChange={chosen => onRole({ id: member.id, role: chosen })}
            />
          </span>
        ) : (
          <Badge look="strong">{member.role}</Badge>
        ),
      sortBy: member => member.role,
    },
    {
      id: 'may',
      title: 'Can',
      cell: member => <span className="text-muted">{roleMeanings[member.role]}</span>,
    },
  ];
  if (!isRoleAtLeast(role, 'admin')) return columns;
  const removal: Column<Member> = {
    id: 'remove',
    title: '',
    cell: member =>
      mayChange(member) && (
        <Button
          look="quiet"
          size="small"
          aria-label={`Remove ${member.name}`}
          onClick={() => onRemove(member)}
        >
          Remove
        </Button>
      ),
  };
  return [...columns, removal];
}

function Person({ member, isMe }: { member: Member; isMe: boolean }) {
  return (
    <div className="grid gap-0.5">
      <span className="font-medium wrap-anywhere">
        <bdi>{member.name}</bdi> {isMe && <span className="font-normal text-muted">(you)</span>}
      </span>
      <span className="text-[0.87rem] wrap-anywhere text-muted">{member.email}</span>
    </div>
  );
}
