/** Shown to users without a role in any project. */

import { Link } from '@tanstack/react-router';
import { isolate } from '../../format/direction.ts';
import { useMe } from '../../queries/session.ts';
import { styleButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHead } from '../../ui/PageHead.tsx';

export function NoProjectPage() {
  const me = useMe();
  return (
    <>
      <PageHead title={`Hello, ${isolate(me.name)}`} />
      <EmptyState
        title="No project yet"
        action={
          me.isOwner && (
            <Link to="/new-project" className={styleButton({ look: 'primary' })}>
              New project
            </Link>
          )
        }
      >
        {me.isOwner
          ? 'Files, logs and tokens belong to projects. Create the first one.'
          : 'Ask a project admin or an installation owner to give you a role.'}
      </EmptyState>
    </>
  );
}
