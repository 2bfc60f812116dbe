/** Marks files that are private or will expire soon. */
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { useProject } from '../../../queries/projects.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { describeExpiry } from '../expiry.ts';

export function FileNotes({ project, file }: { project: string; file: FileRecord }) {
  const expiry = describeExpiry(useProject(project), file, Date.now());
  if (expiry === null && file.visibility === 'public') return null;
  return (
    <span className="flex flex-wrap gap-1">
      {file.visibility === 'private' && <Badge look="strong">private</Badge>}
      {expiry !== null && <Badge look="accent">{expiry}</Badge>}
    </span>
  );
}
