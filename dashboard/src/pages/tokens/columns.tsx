/** Columns of the list of tokens. */
import type { Role } from '@tapedeck/client';
import type { Token } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';

export function makeTokenColumns(role: Role, onRevoke: (token: Token) => void): readonly Column<Token>[] {
  const columns: Column<Token>[] = [
    { id: 'name', title: 'Name', cell: token => <NameCell token={token} />, sortBy: token => token.name },
    { id: 'kind', title: 'Kind', cell: token => <KindCell token={token} />, sortBy: token => token.kind },
    {
      id: 'created',
      title: 'Created',
      cell: token => <CreatedCell token={token} />,
      sortBy: token => token.createdAt,
    },
    {
      id: 'used',
      title: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <Timestamp at={lastUsedAt} /> : <span className="text-muted">never</span>,
      sortBy: token => token.lastUsedAt ?? '',
    },
    {
      id: 'expires',
      title: 'Expires',
      cell: token => <ExpiryCell token={token} />,
      sortBy: token => token.expiresAt ?? '9',
    },
  ];
  if (isRoleAtLeast(role, 'member')) {
    columns.push({
      id: 'revoke',
      title: '',
      // Only an admin may revoke an admin token, because it manages the project.
      cell: token =>
        (token.kind !== 'admin' || isRoleAtLeast(role, 'admin')) && (
          <Button
            look="quiet"
            size="small"
            aria-label={`Revoke ${token.name || token.prefix}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </Button>
        ),
    });
  }
  return columns;
}

function NameCell({ token }: { token: Token }) {
  return (
    <div className="grid min-w-36 gap-0.5">
      <span className="font-medium wrap-anywhere">{token.name || 'Unnamed'}</span>
      <span className="font-mono text-[0.82rem] text-muted">{token.prefix}…</span>
    </div>
  );
}

function KindCell({ token }: { token: Token }) {
  return (
    <div className="flex max-w-72 flex-wrap gap-1.5">
      <Badge look={token.kind === 'admin' ? 'accent' : 'strong'}>{token.kind}</Badge>
      {token.scopes.map(scope => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </div>
  );
}

function CreatedCell({ token }: { token: Token }) {
  return (
    <div className="grid gap-0.5">
      <Timestamp at={token.createdAt} />
      <span className="min-w-38 text-[0.82rem] wrap-anywhere text-muted">
        {token.createdBy.replace(/^user /, '')}
      </span>
    </div>
  );
}

function ExpiryCell({ token }: { token: Token }) {
  if (token.expiresAt === null) return <span className="text-muted">never</span>;
  const expired = Date.parse(token.expiresAt) <= Date.now();
  return (
    <span className={expired ? 'text-danger' : ''}>
      {expired && 'expired '}
      <Timestamp at={token.expiresAt} />
    </span>
  );
}
