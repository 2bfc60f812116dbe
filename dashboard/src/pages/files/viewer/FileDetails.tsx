/** What is known of a file. Its folder and its metadata lead to others of the same. */
import type { ReactNode } from 'react';
import { formatBytes } from '../../format/sizes.ts';
import { formatDay, formatDuration, formatTime } from '../../format/times.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FilterLink } from '../../ui/FilterLink.tsx';
import type { FileSearch } from './search.ts';

type FileDetailsProps = { file: FileRecord; onFilter: (change: FileSearch) => void };

export function FileDetails({ file, onFilter }: FileDetailsProps) {
  const { width, height, durationSeconds } = file;
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
      <Detail name="Id">
        <span className="min-w-0 truncate font-mono text-[0.78rem]">{file.id}</span>
        <CopyButton text={file.id} label="Copy the id" />
      </Detail>
      {listLeaves(file.metadata).map(([path, value]) => (
        <Detail key={path} name={path}>
          <FilterLink
            label={`Show only files with ${path} ${value}`}
            onClick={() => onFilter({ [`metadata.${path}`]: value })}
          >
            {value || '""'}
          </FilterLink>
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

/** Dotted paths and values as text, as the service filters by them. */
function listLeaves(metadata: FileRecord['metadata']): [string, string][] {
  const visit = (path: string, value: unknown): [string, string][] => {
    if (typeof value !== 'object' || value === null) return [[path, String(value)]];
    return Object.entries(value).flatMap(([key, inner]) =>
      visit(path === '' ? key : `${path}.${key}`, inner),
    );
  };
  return visit('', metadata);
}
