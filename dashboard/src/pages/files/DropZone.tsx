/** The whole page takes files that are dropped on it, and says so while they hover. */
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Icon } from '../../parts/Icon.tsx';

type DropZoneProps = {
  /** null: nothing is taken. */
  onFiles: ((files: readonly File[]) => void) | null;
  folder: string;
  children: ReactNode;
};

export function DropZone({ onFiles, folder, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  // Entering a child comes before leaving its parent.
  const depth = useRef(0);
  if (onFiles === null) return <div>{children}</div>;
  const enter = (event: DragEvent, step: 1 | -1) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    depth.current += step;
    setOver(depth.current > 0);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the upload button does the same
    <div
      className="relative min-h-[70dvh]"
      onDragEnter={event => enter(event, 1)}
      onDragLeave={event => enter(event, -1)}
      onDragOver={event => event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute -inset-2 z-10 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-paper/85">
          <p className="flex items-center gap-2.5 text-lg font-medium">
            <Icon name="upload" className="size-5! text-accent" />
            Drop to upload{folder && ` into ${folder}`}
          </p>
        </div>
      )}
    </div>
  );
}
