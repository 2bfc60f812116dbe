/** Tells who manages the project that entries of an earlier version are still being completed, and what that means meanwhile. */
import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../parts/Notice.tsx';
import { useProject } from '../../queries/projects.ts';
import { preparingQuery } from '../../queries/readiness.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { countThings } from '../../text/numbers.ts';

export function OlderLogs({ project }: { project: string }) {
  const isManager = isRoleAtLeast(useProject(project).role, 'admin');
  const { data: preparing } = useQuery({ ...preparingQuery, enabled: isManager });
  // Others may have asked as well, further down the page.
  if (!isManager || !preparing) return null;
  const { percent, entriesWithoutPattern, obstacle } = preparing;
  return (
    <Notice look={obstacle === null ? 'plain' : 'warning'}>
      Older logs are being prepared: {percent} %. Everything is found meanwhile, only slower
      {entriesWithoutPattern > 0 &&
        `; ${countThings(entriesWithoutPattern, 'entry is', 'entries are')} not yet found by pattern`}
      . {obstacle}
    </Notice>
  );
}
