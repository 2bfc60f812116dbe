/** Files of the list, and folders, that are dragged onto a folder. Files from this machine are another matter: see `droppedFiles.ts`. */
import { type DragEvent, useState } from 'react';

const dragType = 'application/x-tapedeck-files';

export type Dragged = { ids: readonly string[] } | { folder: string };

/** Into the folder at the path; '' is the project's own. */
export type MoveInto = (dragged: Dragged, path: string) => void;

export function startDrag({ dataTransfer }: DragEvent, dragged: Dragged): void {
  dataTransfer.setData(dragType, JSON.stringify(dragged));
  dataTransfer.effectAllowed = 'move';
}

/** Props for a folder that accepts what is dropped. `take` null: it accepts none. */
export function useDropTarget(take: ((dragged: Dragged) => void) | null) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (take === null || !event.dataTransfer.types.includes(dragType)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setOver(true);
  };
  const handlers = {
    onDragEnter: over,
    onDragOver: over,
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      const text = event.dataTransfer.getData(dragType);
      if (text === '') return;
      event.preventDefault();
      // `startDrag` wrote it; pages of other origins know no ids of this project.
      take?.(JSON.parse(text) as Dragged);
    },
  };
  return { isOver, handlers };
}
