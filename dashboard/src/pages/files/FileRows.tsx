/** Files as lines, for those who look for names rather than pictures. */

import { formatBytes } from '../../format/sizes.ts';
import { formatDuration } from '../../format/times.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { ChosenMark, type FileButtonProps, type FileListProps } from './FileGrid.tsx';
import { Thumbnail } from './Thumbnail.tsx';

export function FileRows({ project, files, chosen, onPress }: FileListProps) {
  return (
    <ul
      aria-label="Files"
      className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel shadow-panel"
    >
      {files.map(file => (
        <li key={file.id} className="[contain-intrinsic-size:auto_3.5rem] [content-visibility:auto]">
          <Row
            project={project}
            file={file}
            isChosen={chosen ? chosen.has(file.id) : null}
            onPress={withShift => onPress(file.id, withShift)}
          />
        </li>
      ))}
    </ul>
  );
}

function Row({ project, file, isChosen, onPress }: FileButtonProps) {
  return (
    <button
      type="button"
      onClick={event => onPress(event.shiftKey)}
      aria-pressed={isChosen ?? undefined}
      className="grid w-full grid-cols-[2.75rem_minmax(0,1fr)_auto] items-center gap-3.5 px-3.5 py-2 text-left text-sm
        hover:bg-well/60 focus-visible:-outline-offset-2 aria-pressed:bg-accent/10 md:grid-cols-[2.75rem_minmax(0,2fr)_minmax(0,1fr)_6rem_5rem_8rem]"
    >
      <span className="relative">
        <Thumbnail project={project} file={file} className="h-9 w-11 overflow-hidden rounded-md" />
        {isChosen && <ChosenMark />}
      </span>
      <span className="grid min-w-0">
        <span className="truncate font-medium">{file.filename}</span>
        <span className="truncate font-mono text-[0.74rem] text-muted md:hidden">{file.path}</span>
      </span>
      <span className="truncate font-mono text-[0.78rem] text-muted phone:hidden">{file.path}</span>
      <span className="text-muted phone:hidden">{describeShape(file)}</span>
      <span className="text-right whitespace-nowrap tabular-nums">{formatBytes(file.size)}</span>
      <span className="text-right text-muted phone:hidden">
        <Timestamp at={file.createdAt} />
      </span>
    </button>
  );
}

/** What there is to say of its form in few characters. */
function describeShape({ type, width, height, durationSeconds }: FileRecord): string {
  if (durationSeconds !== undefined) return formatDuration(durationSeconds);
  if (width !== undefined && height !== undefined) return `${width} × ${height}`;
  return type;
}
