/** A file as a row, for users who look for names. */
import { formatBytes } from '../../../format/sizes.ts';
import { formatDuration } from '../../../format/times.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { FileNotes } from './FileNotes.tsx';
import type { FileShapeProps } from './FileTile.tsx';
import { Mark } from './Mark.tsx';
import { Thumbnail } from './Thumbnail.tsx';

export function FileRow({ project, file, isChosen, onMark }: FileShapeProps) {
  return (
    <div
      className={`grid w-full grid-cols-[2.75rem_minmax(0,1fr)_auto] items-center gap-3.5 px-3.5 py-2 text-left text-sm
        md:grid-cols-[2.75rem_minmax(0,2fr)_minmax(0,1fr)_6rem_5rem_8rem] ${isChosen ? 'bg-accent/10' : 'hover:bg-well/60'}`}
    >
      <span className="relative">
        <Thumbnail project={project} file={file} className="h-9 w-11 overflow-hidden rounded-md" />
        <Mark isChosen={isChosen} onPress={onMark} />
      </span>
      <span className="grid min-w-0">
        <span className="truncate font-medium" title={file.filename}>
          {file.filename}
        </span>
        <span className="truncate font-mono text-[0.74rem] text-muted md:hidden">{file.path}</span>
        <FileNotes project={project} file={file} />
      </span>
      <span className="truncate font-mono text-[0.78rem] text-muted phone:hidden" title={file.path}>
        {file.path}
      </span>
      <span className="text-muted phone:hidden">{describeShape(file)}</span>
      <span className="text-right whitespace-nowrap tabular-nums">{formatBytes(file.size)}</span>
      <span className="text-right text-muted phone:hidden">
        <Timestamp at={file.createdAt} />
      </span>
    </div>
  );
}

/** Writes the file's dimensions or duration in a few characters. */
function describeShape({ type, width, height, durationSeconds }: FileRecord): string {
  if (durationSeconds !== undefined) return formatDuration(durationSeconds);
  if (width !== undefined && height !== undefined) return `${width} × ${height}`;
  return type;
}
