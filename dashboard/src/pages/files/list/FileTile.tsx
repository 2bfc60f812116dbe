/** A file as a tile with a picture and name. */
import type { MouseEvent } from 'react';
import { isolate } from '../../../format/direction.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { formatDuration } from '../../../format/times.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { FileNotes } from './FileNotes.tsx';
import { Mark } from './Mark.tsx';
import { Thumbnail } from './Thumbnail.tsx';

export type FileShapeProps = {
  project: string;
  file: FileRecord;
  isChosen: boolean;
  /** Called on a click on the mark. */
  onMark: (event: MouseEvent) => void;
};

export function FileTile({ project, file, isChosen, onMark }: FileShapeProps) {
  return (
    <div
      className={`grid size-full content-start overflow-hidden rounded-xl border bg-panel text-left shadow-panel transition-colors
        ${isChosen ? 'border-accent ring-2 ring-accent' : 'border-line group-hover:border-edge'}`}
    >
      <span className="relative block aspect-4/3 overflow-hidden">
        <Thumbnail project={project} file={file} className="size-full" />
        <Mark isChosen={isChosen} onPress={onMark} />
        {file.durationSeconds !== undefined && (
          <span className="absolute right-1.5 bottom-1.5 rounded-md bg-ink/80 px-1.5 font-mono text-[0.7rem] text-on-ink tabular-nums">
            {formatDuration(file.durationSeconds)}
          </span>
        )}
      </span>
      <span className="grid gap-0.5 px-3 py-2">
        <span className="truncate text-sm font-medium" title={file.filename}>
          {file.filename}
        </span>
        <span className="truncate font-mono text-[0.74rem] text-muted">{describePlace(file)}</span>
        <FileNotes project={project} file={file} />
        <span className="sr-only">{file.type}</span>
      </span>
    </div>
  );
}

function describePlace({ size, path }: FileRecord): string {
  return path ? `${formatBytes(size)} · ${isolate(path)}` : formatBytes(size);
}
