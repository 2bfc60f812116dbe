/** Shows an entry's pictures and files: those whose URLs it mentions, and its players' uploads from the same minute. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { momentFilesQuery, namedFilesQuery } from '../../../queries/entryFiles.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import type { LogEntry } from '../../../queries/logs.ts';
import { projectQuery } from '../../../queries/projects.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Thumbnail } from '../../files/list/Thumbnail.tsx';
import { composeQuery } from '../../files/queryText.ts';
import { findMoment } from './entryMoment.ts';
import { findMentionedFiles, isMentioned } from './mentionedFiles.ts';

type EntryFilesProps = { project: string; entry: LogEntry };

export function EntryFiles({ project, entry }: EntryFilesProps) {
  const { files, error } = useEntryFiles({ project, entry });
  if (error) return <Notice look="error">{error.message}</Notice>;
  if (files.length === 0) return null;
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="text-sm font-semibold">Files</h3>
      <ul
        aria-label="Files of this entry"
        className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-2"
      >
        {files.map(({ file, why }) => (
          <li key={file.id}>
            <Link
              to="/projects/$project/files"
              params={{ project }}
              search={{ file: file.id }}
              className="grid gap-1 rounded-lg border border-line p-1.5 hover:border-edge hover:bg-ink/4"
            >
              <Thumbnail project={project} file={file} className="h-24 w-full rounded-md" />
              <span className="truncate text-[0.82rem] font-medium">
                <bdi>{file.filename}</bdi>
              </span>
              <span className="text-[0.78rem] text-muted">{why}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

type EntryFile = { file: FileRecord; why: string };

function useEntryFiles({ project, entry }: EntryFilesProps): { files: EntryFile[]; error: Error | null } {
  const { data: settings } = useQuery(projectQuery(project));
  const mentioned = useMemo(() => findMentionedFiles(entry, project), [entry, project]);
  const keys = mentioned.map(({ key }) => ({ kind: 'equals', text: key }) as const);
  const query = composeQuery(
    keys.length === 0 ? [] : [{ kind: 'field', field: { kind: 'key' }, values: keys }],
  );
  const moment = settings === undefined ? null : findMoment(settings.subjects, entry);
  const named = useQuery({ ...namedFilesQuery(project, query), enabled: query !== '' });
  const near = useQuery({
    ...momentFilesQuery(project, moment ?? { query: '', from: '', to: '' }),
    enabled: moment !== null,
  });
  const host = window.location.host;
  const own = (named.data ?? []).filter(file => isMentioned(mentioned, file, host));
  const others = (near.data ?? []).filter(({ id }) => !own.some(file => file.id === id));
  return {
    files: [
      ...own.map(file => ({ file, why: 'Mentioned here' })),
      ...others.map(file => ({ file, why: nameMoment(file, entry) })),
    ],
    error: named.error ?? near.error,
  };
}

function nameMoment(file: FileRecord, entry: LogEntry): string {
  const seconds = Math.round((Date.parse(file.createdAt) - Date.parse(entry.timestamp)) / 1000);
  if (seconds === 0) return 'Same moment';
  return `${Math.abs(seconds)} s ${seconds < 0 ? 'earlier' : 'later'}`;
}
