/** Files as pictures side by side. */

import { isolate } from '../../format/direction.ts';
import { formatBytes } from '../../format/sizes.ts';
import { formatDuration } from '../../format/times.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Thumbnail } from './Thumbnail.tsx';

export type FileListProps = {
  project: string;
  files: readonly FileRecord[];
  /** null: a file is opened by pressing it; otherwise it is chosen. */
  chosen: ReadonlySet<string> | null;
  onPress: (file: string, withShift: boolean) => void;
};

export function FileGrid({ project, files, chosen, onPress }: FileListProps) {
  return (
    <ul
      aria-label="Files"
      className="grid grid-cols-[repeat(auto-fill,minmax(min(45%,10.5rem),1fr))] gap-3 sm:gap-4"
    >
      {files.map(file => (
        <li key={file.id} className="[contain-intrinsic-size:auto_13rem] [content-visibility:auto]">
          <Tile
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

/** `isChosen` null: nothing is being chosen. */
export type FileButtonProps = {
  project: string;
  file: FileRecord;
  isChosen: boolean | null;
  onPress: (withShift: boolean) => void;
};

function Tile({ project, file, isChosen, onPress }: FileButtonProps) {
  return (
    <button
      type="button"
      onClick={event => onPress(event.shiftKey)}
      aria-pressed={isChosen ?? undefined}
      className="group grid w-full overflow-hidden rounded-xl border border-line bg-panel text-left shadow-panel transition-colors
        hover:border-edge focus-visible:-outline-offset-2 aria-pressed:border-accent aria-pressed:ring-2 aria-pressed:ring-accent"
    >
      <span className="relative block aspect-4/3 overflow-hidden">
        <Thumbnail project={project} file={file} className="size-full" />
        {isChosen && <ChosenMark />}
        {file.durationSeconds !== undefined && (
          <span className="absolute right-1.5 bottom-1.5 rounded-md bg-ink/80 px-1.5 font-mono text-[0.7rem] text-on-ink tabular-nums">
            {formatDuration(file.durationSeconds)}
          </span>
        )}
      </span>
      <span className="grid gap-0.5 px-3 py-2">
        <span className="truncate text-sm font-medium">{file.filename}</span>
        <span className="truncate font-mono text-[0.74rem] text-muted">{describePlace(file)}</span>
        <span className="sr-only">{file.type}</span>
      </span>
    </button>
  );
}

function describePlace({ size, path }: FileRecord): string {
  return path ? `${formatBytes(size)} · ${isolate(path)}` : formatBytes(size);
}

export function ChosenMark() {
  return (
    <span className="absolute top-1.5 left-1.5 grid size-6 place-items-center rounded-full bg-accent text-panel">
      <Icon name="check" />
    </span>
  );
}
