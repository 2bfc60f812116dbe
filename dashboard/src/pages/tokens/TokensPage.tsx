/** Lists, creates and revokes a project's API tokens. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useProject } from '../../queries/projects.ts';
import { type Token, tokensQuery } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { makeTokenColumns } from './columns.tsx';
import { NewTokenDialog } from './NewTokenDialog.tsx';
import { RevokeDialog } from './RevokeDialog.tsx';

export function TokensPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/tokens' });
  const project = useProject(slug);
  const { data: tokens } = useSuspenseQuery(tokensQuery(slug));
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const mayCreate = isRoleAtLeast(project.role, 'member');
  const columns = useMemo(() => makeTokenColumns(project.role, setRevoking), [project.role]);
  const connectLink = (
    <Link to="/projects/$project/connect/{-$tool}" params={{ project: slug }} className={styleButton()}>
      <Icon name="plug" />
      Connect a tool
    </Link>
  );
  const newButton = mayCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      New token
    </Button>
  );
  return (
    <>
      <PageHead
        title="Tokens"
        about="Programs send a token with every request. Each token has one kind and works only in this project."
        actions={
          tokens.length > 0 && (
            <>
              {connectLink}
              {newButton}
            </>
          )
        }
      />
      {tokens.length === 0 ? (
        <EmptyState
          title="No tokens yet"
          action={
            <div className="flex flex-wrap justify-center gap-2.5">
              {connectLink}
              {newButton}
            </div>
          }
        >
          {mayCreate
            ? 'Pick a tool to get a token for it, or create one for your own program.'
            : 'Ask a member or admin to create one.'}
        </EmptyState>
      ) : (
        <DataTable label="Tokens" rows={tokens} columns={columns} rowId={token => token.id} />
      )}
      <NewTokenDialog project={project} open={creating} onClose={() => setCreating(false)} />
      <RevokeDialog project={slug} token={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}
