/** The menu for the list's look. */
import { useState } from 'react';
import { nameZone, type Zone } from '../../../format/times.ts';
import { styleButton } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu, MenuAction, MenuCheck, MenuChoices, MenuLine } from '../../../ui/Menu.tsx';
import { usePreference } from '../preferences.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useView } from '../view.ts';
import { ColumnsDialog } from './ColumnsDialog.tsx';
import { ZoneDialog } from './ZoneDialog.tsx';

const anotherZone = 'another';

function listZones(zone: Zone) {
  const isOther = zone !== 'local' && zone !== 'utc';
  return [
    { value: 'local', content: 'Local time' },
    { value: 'utc', content: 'UTC' },
    ...(isOther ? [{ value: zone, content: nameZone(zone) }] : []),
    { value: anotherZone, content: 'Another time zone…' },
  ];
}

type ViewMenuProps = { project: string; search: LogSearch; onChange: ChangeSearch };

export function ViewMenu({ project, search, onChange }: ViewMenuProps) {
  const { order, zone, isCompact, isWrapped } = useView(search);
  const [, keepZone] = usePreference('zone');
  const [, keepDensity] = usePreference('density');
  const [, keepWrapping] = usePreference('wrapping');
  const [pictures, keepPictures] = usePreference('foreignPictures');
  const [isChoosing, setChoosing] = useState(false);
  const [isChoosingZone, setChoosingZone] = useState(false);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={styleButton({ size: 'small' })}>
            <Icon name="sliders" />
            <span className="phone:sr-only">View</span>
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
        <OrderChoices order={order} onChange={onChange} />
        <MenuChoices
          label="Times"
          value={zone}
          onChange={chosen => (chosen === anotherZone ? setChoosingZone(true) : keepZone(chosen))}
          choices={listZones(zone)}
        />
      </Menu>
      {isChoosingZone && (
        <ZoneDialog zone={zone} onChoose={keepZone} onClose={() => setChoosingZone(false)} />
      )}
      {isChoosing && (
        <ColumnsDialog
          project={project}
          search={search}
          onChange={onChange}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}

function OrderChoices({ order, onChange }: { order: string; onChange: ChangeSearch }) {
  return (
    <MenuChoices
      label="Order"
      value={order}
      // Live mode shows new entries at the top, so the oldest first ends it.
      onChange={chosen =>
        onChange(chosen === 'asc' ? { order: 'asc', live: undefined } : { order: undefined })
      }
      choices={[
        { value: 'desc', content: 'Newest first' },
        { value: 'asc', content: 'Oldest first' },
      ]}
    />
  );
}
