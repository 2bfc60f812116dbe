/** Files of the list that are dragged onto a folder. Files from this machine are another matter: see `droppedFiles.ts`. */
import { type DragEvent, useState } from 'react';

const dragType = 'application/x-tapedeck-files';

export function startDrag({ dataTransfer }: DragEvent, ids: readonly string[]): void {
  dataTransfer.setData(dragType, JSON.stringify(ids));
  dataTransfer.effectAllowed = 'move';
}

/** Props for a folder that accepts dropped files. `take` null: it accepts none. */
export function useDropTarget(take: ((ids: readonly string[]) => void) | null) {
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
      take?.(JSON.parse(text) as string[]);
    },
  };
  return { isOver, handlers };
}
