/** Tells who manages the project that entries of an earlier version are still being completed, and what that means meanwhile. */
import { useQuery } from '@tanstack/react-query';
import { countThings } from '../../format/numbers.ts';
import { useProject } from '../../queries/projects.ts';
import { backfillQuery } from '../../queries/readiness.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Notice } from '../../ui/Notice.tsx';

export function OlderLogs({ project }: { project: string }) {
  const isManager = isRoleAtLeast(useProject(project).role, 'admin');
  const { data: preparing } = useQuery({ ...backfillQuery, enabled: isManager });
  // Others may have asked as well, further down the page.
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
