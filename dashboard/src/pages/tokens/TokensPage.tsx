/** The API tokens of a project: listed, made, revoked. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import { Empty } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { useProject } from '../../queries/projects.ts';
import { type Token, tokensQuery } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { DataTable } from '../../widgets/DataTable.tsx';
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
        about="Programs send one with every request. Each is of one kind and sees this project only."
        actions={tokens.length > 0 && newButton}
      />
      {tokens.length === 0 ? (
        <Empty title="No tokens yet" action={newButton}>
          {mayCreate
            ? 'Create one to let a program upload files or write logs.'
            : 'Ask somebody with the role member or above to create one.'}
        </Empty>
      ) : (
        <DataTable label="Tokens" rows={tokens} columns={columns} rowId={token => token.id} />
      )}
      <NewTokenDialog project={project} open={creating} onClose={() => setCreating(false)} />
      <RevokeDialog project={slug} token={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}
