/** Says that the user lost the role that saving needs, while a form keeps what they typed. Looks for the role to come back. */
import { useQuery } from '@tanstack/react-query';
import { projectQuery } from '../../queries/projects.ts';
import { nameRole } from '../../roles.ts';
import { Notice } from '../../ui/Notice.tsx';

const refreshMs = 15_000;

type RoleLostProps = {
  project: string;
  /** What the role allowed, as in “change rules”. */
  task: string;
};

export function RoleLost({ project, task }: RoleLostProps) {
  const { data } = useQuery({ ...projectQuery(project), refetchInterval: refreshMs });
  return (
    <Notice look="warning">
      You can no longer {task}
      {data && `: you are now ${nameRole(data.role)}`}. Your text stays here until you leave this page. Copy
      it, or ask an admin for your role back.
    </Notice>
  );
}
