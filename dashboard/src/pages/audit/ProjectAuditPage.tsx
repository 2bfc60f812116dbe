/** Shows admins the changes in a project. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { membersQuery } from '../../queries/members.ts';
import { useMe } from '../../queries/session.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { AuditTrail } from './AuditTrail.tsx';

export function ProjectAuditPage() {
  const { project } = useParams({ from: '/inside/projects/$project/audit' });
  const { data: members } = useSuspenseQuery(membersQuery(project));
  const me = useMe();
  return (
    <>
      <PageHead title="Audit log" about="Who changed what in this project, newest first." />
      <AuditTrail project={project} people={[...members, me]} />
    </>
  );
}
