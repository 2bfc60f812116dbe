/** Drags files and folders of the list onto a folder. For files from this machine see `droppedFiles.ts`. */
import { type DragEvent, useState } from 'react';

const dragType = 'application/x-tapedeck-files';

export type Dragged = { ids: readonly string[] } | { folder: string };

/** Moves into the folder at the path; '' is the project's root. */
export type MoveInto = (dragged: Dragged, path: string) => void;

export function startDrag({ dataTransfer }: DragEvent, dragged: Dragged): void {
  dataTransfer.setData(dragType, JSON.stringify(dragged));
  dataTransfer.effectAllowed = 'move';
}

/** Returns props for a folder that accepts drops; `take` null rejects them. */
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
      // `startDrag` wrote it; pages of other origins do not know this project's ids.
      take?.(JSON.parse(text) as Dragged);
    },
  };
  return { isOver, handlers };
}
