/** How the list looks, in one menu. */
import { useState } from 'react';
import { styleButton } from '../../../parts/Button.tsx';
import { Icon } from '../../../parts/Icon.tsx';
import { Menu, MenuAction, MenuCheck, MenuChoices, MenuLine } from '../../../widgets/Menu.tsx';
import { useLiking } from '../remembered.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../searching.ts';
import { useView } from '../view.ts';
import { ColumnsDialog } from './ColumnsDialog.tsx';

type ViewMenuProps = { project: string; search: LogSearch; onChange: ChangeSearch };

export function ViewMenu({ project, search, onChange }: ViewMenuProps) {
  const { order, zone, isCompact, isWrapped } = useView(search);
  const [, keepZone] = useLiking('zone');
  const [, keepDensity] = useLiking('density');
  const [, keepWrapping] = useLiking('wrapping');
  const [pictures, keepPictures] = useLiking('foreignPictures');
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={styleButton({ size: 'small' })}>
            <Icon name="sliders" />
            View
          </button>
        }
      >
        <MenuAction onClick={() => setChoosing(true)}>
          <Icon name="columns" />
          Columns…
        </MenuAction>
        <MenuCheck isOn={isWrapped} onChange={isOn => keepWrapping(isOn ? 'on' : 'off')}>
          Wrap long lines
        </MenuCheck>
        <MenuCheck isOn={isCompact} onChange={isOn => keepDensity(isOn ? 'compact' : 'usual')}>
          Compact lines
        </MenuCheck>
        <MenuCheck isOn={pictures === 'on'} onChange={isOn => keepPictures(isOn ? 'on' : 'off')}>
          Load pictures from other sites
        </MenuCheck>
        <MenuLine />
        <MenuChoices
          label="Order"
          value={order}
          // What arrives is followed at the top of the list.
          onChange={chosen =>
            onChange(chosen === 'asc' ? { order: 'asc', live: undefined } : { order: undefined })
          }
          choices={[
            { value: 'desc', content: 'Newest first' },
            { value: 'asc', content: 'Oldest first' },
          ]}
        />
        <MenuChoices
          label="Times"
          value={zone}
          onChange={keepZone}
          choices={[
            { value: 'local', content: 'Of this browser' },
            { value: 'utc', content: 'UTC' },
          ]}
        />
      </Menu>
      {isChoosing && <ColumnsDialog {...{ project, search, onChange }} onClose={() => setChoosing(false)} />}
    </>
  );
}
