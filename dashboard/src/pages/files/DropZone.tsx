/** Accepts files dropped on the window or pasted, and says so while files hover. */

import { isolate } from '../../format/direction.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useDroppedFiles, usePastedFiles } from './droppedFiles.ts';

type DropZoneProps = {
  /** null if the user may not upload. */
  onFiles: ((files: readonly File[], folder: string) => void) | null;
  folder: string;
};

export function DropZone({ onFiles, folder }: DropZoneProps) {
  const isOver = useDroppedFiles(onFiles);
  usePastedFiles(onFiles);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 z-30 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-paper/85">
      <p className="flex items-center gap-2.5 text-lg font-medium">
        <Icon name="upload" className="size-5! text-accent" />
        Drop to upload{folder && ` into ${isolate(folder)}`}
      </p>
    </div>
  );
}
