/** Tells the project's admins that the service is still preparing older entries, and the effects until then. */
import { useQuery } from '@tanstack/react-query';
import { countThings } from '../../format/numbers.ts';
import { useProject } from '../../queries/projects.ts';
import { backfillQuery } from '../../queries/readiness.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Notice } from '../../ui/Notice.tsx';

export function OlderLogs({ project }: { project: string }) {
  const isManager = isRoleAtLeast(useProject(project).role, 'admin');
  const { data: preparing } = useQuery({ ...backfillQuery, enabled: isManager });
  // Another component may have loaded it, too.
  if (!isManager || !preparing) return null;
  const { percent, entriesWithoutPattern, obstacle } = preparing;
  return (
    <Notice look={obstacle === null ? 'plain' : 'warning'}>
      Preparing older logs: {percent} %. Searches work, but are slower until then
      {entriesWithoutPattern > 0 &&
        `; ${countThings(entriesWithoutPattern, 'entry has', 'entries have')} no pattern yet`}
      . {obstacle}
    </Notice>
  );
}
