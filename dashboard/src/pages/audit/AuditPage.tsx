/** Shows owners the changes in the whole installation. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { usersQuery } from '../../queries/users.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { AuditTrail } from './AuditTrail.tsx';

export function AuditPage() {
  const { data: users } = useSuspenseQuery(usersQuery);
  return (
    <>
      <PageHead
        title="Installation audit"
        about="Who changed what in the whole installation, newest first."
      />
      <AuditTrail project={null} people={users} />
    </>
  );
}
