/** The column names above the list. Users move or remove a column by menu, or move it by dragging. */
import { type DragEvent, type RefObject, useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { nameZone } from '../../../format/times.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu, MenuAction, MenuGroup, MenuLine } from '../../../ui/Menu.tsx';
import { moveColumn, toggleColumn } from '../columns.ts';
import { togglePresent } from '../queryFilters.ts';
import type { LogSearch } from '../search.ts';
import type { SharedFields } from '../sharedFields.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import type { View } from '../view.ts';

const headStyle = 'flex h-full min-w-0 items-center gap-1 rounded-sm hover:text-ink';

type ListHeaderProps = {
  view: View;
  search: LogSearch;
  onChange: ChangeSearch;
  /** Values that the rows omit because all have them. */
  shared: SharedFields['pairs'];
  /** Scrolls sideways with the list. */
  place: RefObject<HTMLDivElement | null>;
};

export function ListHeader({ view, search, onChange, shared, place }: ListHeaderProps) {
  const { order, columns, zone } = view;
  const isOldestFirst = order === 'asc';
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing is filled in here
    <div
      ref={place}
      role="group"
      aria-label="Columns"
      className="shrink-0 overflow-hidden border-b border-line text-[0.74rem] text-muted [scrollbar-gutter:stable] phone:hidden"
    >
      <div className="grid h-8 min-w-(--lines-min) grid-cols-(--lines) items-center gap-x-2 pr-3 pl-3.5">
        <button
          type="button"
          title={
            isOldestFirst ? 'Oldest first. Click for newest first.' : 'Newest first. Click for oldest first.'
          }
          onClick={() => onChange(isOldestFirst ? { order: undefined } : { order: 'asc', live: undefined })}
          className={headStyle}
        >
          Time{zone !== 'local' && ` in ${zone === 'utc' ? 'UTC' : nameZone(zone)}`}
          <Icon name={isOldestFirst ? 'up' : 'down'} className="size-3" />
          <span className="sr-only">, {isOldestFirst ? 'oldest first' : 'newest first'}</span>
        </button>
        <span>Level</span>
        {columns.map((name, index) => (
          <ColumnHead
            key={name}
            name={name}
            index={index}
            search={search}
            onChange={onChange}
            isLast={index === columns.length - 1}
          />
        ))}
        <span className="truncate">
          Message
          {shared.length > 0 && <SharedValues pairs={shared} />}
        </span>
      </div>
    </div>
  );
}

/** Shows once the values that the rows omit. */
function SharedValues({ pairs }: { pairs: SharedFields['pairs'] }) {
  const words = pairs.map(([name, value]) => `${isolate(name)}=${isolate(value)}`).join(' ');
  return (
    <span className="ml-3" title={words}>
      All of these: <span className="font-mono">{words}</span>
    </span>
  );
}

type ColumnHeadProps = Pick<ListHeaderProps, 'search' | 'onChange'> & {
  name: string;
  index: number;
  isLast: boolean;
};

const draggedType = 'application/x-tapedeck-column';

function ColumnHead({ name, index, isLast, search, onChange }: ColumnHeadProps) {
  const { columns, query = '' } = search;
  const [isOver, setOver] = useState(false);
  const move = (to: number) => onChange({ columns: moveColumn(columns, name, to) });
  const drop = (event: DragEvent) => {
    setOver(false);
    event.preventDefault();
    onChange({ columns: moveColumn(columns, event.dataTransfer.getData(draggedType), index) });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: who does not drag has the menu
    <div
      draggable
      onDragStart={event => event.dataTransfer.setData(draggedType, name)}
      onDragOver={event => {
        if (!event.dataTransfer.types.includes(draggedType)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`h-full min-w-0 ${isOver ? 'bg-accent/12' : ''}`}
    >
      <Menu
        sideOffset={2}
        trigger={
          <button type="button" title={`Column ${name}`} className={headStyle}>
            <bdi className="min-w-0 truncate font-mono">{name}</bdi>
            <Icon name="down" className="size-3" />
          </button>
        }
      >
        <MenuGroup label={<bdi>{name}</bdi>}>
          {index > 0 && (
            <MenuAction onClick={() => move(index - 1)}>
              <Icon name="left" />
              Move left
            </MenuAction>
          )}
          {!isLast && (
            <MenuAction onClick={() => move(index + 1)}>
              <Icon name="right" />
              Move right
            </MenuAction>
          )}
          <MenuAction onClick={() => onChange({ query: togglePresent(query, name) })}>
            <Icon name="funnel" />
            Only entries with this field
          </MenuAction>
          <MenuLine />
          <MenuAction onClick={() => onChange({ columns: toggleColumn(columns, name) })}>
            <Icon name="cross" />
            Remove column
          </MenuAction>
        </MenuGroup>
      </Menu>
    </div>
  );
}
