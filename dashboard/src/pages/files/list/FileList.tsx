/** Lists the files found as tiles or rows. Users select, open and drag them as in a file manager. */
import { type DragEvent, type MouseEvent, useEffect, useId, useRef } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { startDrag } from '../draggedFiles.ts';
import { FileRow } from './FileRow.tsx';
import { FileTile } from './FileTile.tsx';
import { handleListKey, type KeyActions } from './keys.ts';
import type { Selection } from './selection.ts';

type FileListProps = KeyActions & {
  project: string;
  files: readonly FileRecord[];
  isList: boolean;
  selection: Selection;
  isMovable: boolean;
};

const looks = {
  list: 'divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel shadow-panel',
  grid: 'grid grid-cols-[repeat(auto-fill,minmax(min(45%,10.5rem),1fr))] gap-3 sm:gap-4',
} as const;

export function FileList(props: FileListProps) {
  const { project, files, isList, selection, isMovable, onOpen } = props;
  const id = useId();
  const { active, chosen } = selection;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isFocused = document.activeElement === list.current;
    if (isFocused && active !== null)
      document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  const press = (file: string, { ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    if (shiftKey) selection.extend(file);
    else if (ctrlKey || metaKey || selection.isChoosing || chosen.size > 0) selection.toggle(file);
    else {
      selection.move(file);
      onOpen(file);
    }
  };
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Files"
      aria-multiselectable="true"
      aria-activedescendant={active === null ? undefined : `${id}-${active}`}
      tabIndex={0}
      onKeyDown={event => handleListKey(event, props)}
      className={`group/list outline-none ${isList ? looks.list : looks.grid}`}
    >
      {files.map(file => (
        <Item
          key={file.id}
          project={project}
          file={file}
          isList={isList}
          id={`${id}-${file.id}`}
          isChosen={chosen.has(file.id)}
          isActive={file.id === active}
          onDrag={
            isMovable
              ? event => startDrag(event, { ids: chosen.has(file.id) ? [...chosen] : [file.id] })
              : null
          }
          onPress={event => {
            list.current?.focus({ preventScroll: true });
            press(file.id, event);
          }}
          onMark={({ shiftKey }) => (shiftKey ? selection.extend(file.id) : selection.toggle(file.id))}
        />
      ))}
    </div>
  );
}

type ItemProps = {
  project: string;
  file: FileRecord;
  id: string;
  isList: boolean;
  isChosen: boolean;
  isActive: boolean;
  /** null if the user may not move it. */
  onDrag: ((event: DragEvent) => void) | null;
  onPress: (event: MouseEvent) => void;
  onMark: (event: MouseEvent) => void;
};

function Item({ project, file, id, isList, isChosen, isActive, onDrag, onPress, onMark }: ItemProps) {
  const Shape = isList ? FileRow : FileTile;
  const focusStyle =
    'group-focus-visible/list:outline-2 group-focus-visible/list:-outline-offset-2 group-focus-visible/list:outline-accent';
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which option is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for all options
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      draggable={onDrag !== null}
      onDragStart={onDrag ?? undefined}
      // With Shift, the browser would select text.
      onMouseDown={event => event.shiftKey && event.preventDefault()}
      onClick={onPress}
      className={`group relative cursor-pointer select-none [content-visibility:auto] ${isActive ? focusStyle : ''}
        ${isList ? '[contain-intrinsic-size:auto_3.5rem]' : 'rounded-xl [contain-intrinsic-size:auto_13rem]'}`}
    >
      <Shape
        project={project}
        file={file}
        isChosen={isChosen}
        onMark={event => {
          event.stopPropagation();
          onMark(event);
        }}
      />
    </div>
  );
}
