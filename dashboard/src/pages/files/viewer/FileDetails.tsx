/** Shows the details of a file. Folder and metadata link to similar files. */
import type { ReactNode } from 'react';
import { formatBytes } from '../../../format/sizes.ts';
import { formatDay, formatDuration, formatTime } from '../../../format/times.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { useProject } from '../../../queries/projects.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { FilterLink } from '../../../ui/FilterLink.tsx';
import { SubjectLink } from '../../players/SubjectLink.tsx';
import { findExpiry, isExpiringSoon } from '../expiry.ts';
import { listLeaves } from '../metadata.ts';
import { addTerm, equalsTerm } from '../queryText.ts';
import type { FileSearch } from '../search.ts';

type FileDetailsProps = { project: string; file: FileRecord; onFilter: (change: FileSearch) => void };

export function FileDetails({ project, file, onFilter }: FileDetailsProps) {
  const { width, height, durationSeconds } = file;
  const settings = useProject(project);
  const end = findExpiry(settings, file);
  return (
    <dl className="grid gap-2.5 text-sm">
      <Detail name="Type">
        {file.mimeType}
        {file.retentionExempt && <Badge>kept forever</Badge>}
      </Detail>
      <Detail name="Size">
        <span title={`${file.size} bytes`}>{formatBytes(file.size)}</span>
      </Detail>
      {width !== undefined && height !== undefined && (
        <Detail name="Picture">
          {width} × {height}
        </Detail>
      )}
      {durationSeconds !== undefined && <Detail name="Length">{formatDuration(durationSeconds)}</Detail>}
      <Detail name="Uploaded">{`${formatDay(file.createdAt)}, ${formatTime(file.createdAt)}`}</Detail>
      <Detail name="Folder">
        {file.path ? (
          <FilterLink
            label={`Show only the folder ${file.path}`}
            onClick={() => onFilter({ path: file.path })}
          >
            {file.path}
          </FilterLink>
        ) : (
          <span className="text-muted">none</span>
        )}
      </Detail>
      <Detail name="Visibility">{file.visibility === 'private' ? 'Private' : 'Public'}</Detail>
      {end !== null && (
        <Detail name={file.deletedAt === undefined ? 'Expires' : 'Deleted forever'}>
          {formatDay(new Date(end).toISOString())}
          {isExpiringSoon(end, Date.now()) && <Badge look="accent">soon</Badge>}
        </Detail>
      )}
      <Detail name="ID">
        <span className="min-w-0 truncate font-mono text-[0.78rem]">{file.id}</span>
        <CopyButton text={file.id} label="Copy the ID" />
      </Detail>
      {listLeaves(file.metadata).map(({ name, keys, text }) => (
        <Detail key={name} name={name}>
          <FilterLink
            label={`Show only files with ${name} ${text}`}
            onClick={() => onFilter({ query: addTerm('', equalsTerm(name, text)) })}
          >
            {text || '""'}
          </FilterLink>
          <SubjectLink project={project} path={keys.join('.')} value={text} />
        </Detail>
      ))}
    </dl>
  );
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5 border-b border-line/70 pb-2 last:border-0">
      <dt className="engraved wrap-anywhere">{name}</dt>
      <dd className="flex min-w-0 items-center justify-between gap-2 wrap-anywhere">{children}</dd>
    </div>
  );
}
