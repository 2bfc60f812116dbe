/** Says that entries stored by an earlier version have no pattern yet. */
import { useQuery } from '@tanstack/react-query';
import { countThings } from '../../../format/numbers.ts';
import { useProject } from '../../../queries/projects.ts';
import { backfillQuery } from '../../../queries/readiness.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Notice } from '../../../ui/Notice.tsx';

/** Admins see the details in a notice at the top of the page. */
export function BackfillNotice({ project }: { project: string }) {
  const isTold = isRoleAtLeast(useProject(project).role, 'admin');
  const { data: preparing } = useQuery({ ...backfillQuery, enabled: !isTold });
  if (isTold || !preparing || preparing.entriesWithoutPattern === 0) return null;
  return (
    <Notice look="plain">
      Preparing older entries: {countThings(preparing.entriesWithoutPattern, 'entry is', 'entries are')} not
      listed here yet.
    </Notice>
  );
}
