/** Where a user arrives who has no role in any project. */

import { Link } from '@tanstack/react-router';
import { styleButton } from '../../parts/Button.tsx';
import { Empty } from '../../parts/Empty.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { useMe } from '../../queries/session.ts';
import { isolate } from '../../text/direction.ts';

export function NoProjectPage() {
  const me = useMe();
  return (
    <>
      <PageHead title={`Hello, ${isolate(me.name)}`} />
      <Empty
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
          ? 'Files, logs and tokens live in projects. Make the first one.'
          : 'Ask an admin of a project, or an owner of the installation, to give you a role.'}
      </Empty>
    </>
  );
}
