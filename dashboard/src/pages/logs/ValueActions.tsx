/** Actions on a value: filter, exclude, add as a column, copy. */

import { isolate } from '../../format/direction.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText, showForCopying } from '../../ui/copying.ts';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { LateMenu, MenuAction, MenuBranch, MenuGroup, MenuLine } from '../../ui/Menu.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { readColumns, toggleColumn } from './columns.ts';
import { findAsked, findPresence, toggleNot, toggleOnly, toggleWithout } from './queryFilters.ts';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';

const titleCharactersMax = 60;
const everywhere: readonly string[] = ['level', 'dataset']; // every entry has these

export type NamedValue = { name: string; value: string };
type ValueActionsProps = NamedValue & { search: LogSearch; onChange: ChangeSearch };

export function ValueActions({ name, value, search, onChange }: ValueActionsProps) {
  const { query = '', columns } = search;
  const asked = findAsked(query, name, value);
  const isColumn = readColumns(columns).includes(name);
  const copy = async () => {
    if (await copyText(value)) showToast('Copied');
    else showForCopying(value, () => showToast('Copied'));
  };
  return (
    <MenuGroup label={`${isolate(name)} ${isolate(value.slice(0, titleCharactersMax))}`}>
      <Item
        icon="funnel"
        isOn={asked === 'only'}
        onClick={() => onChange({ query: toggleOnly(query, name, value) })}
      >
        Only this
      </Item>
      <Item
        icon="minus"
        isOn={asked === 'not'}
        onClick={() => onChange({ query: toggleNot(query, name, value) })}
      >
        Not this
      </Item>
      {!everywhere.includes(name) && (
        <Item
          icon="cross"
          isOn={findPresence(query, name) === 'not'}
          onClick={() => onChange({ query: toggleWithout(query, name) })}
        >
          Exclude field
        </Item>
      )}
      <MenuLine />
      <Item icon="columns" isOn={false} onClick={() => onChange({ columns: toggleColumn(columns, name) })}>
        {isColumn ? 'Remove column' : 'Add column'}
      </Item>
      <Item icon="copy" isOn={false} onClick={() => void copy()}>
        Copy value
      </Item>
    </MenuGroup>
  );
}

/** A menu behind a button with the given label. */
export function ValueMenu({ children, ...props }: ValueActionsProps & { children: string }) {
  return (
    <LateMenu
      trigger={opening => (
        <Button look="quiet" size="icon" aria-label={children} title={isolate(children)} {...opening}>
          <Icon name="more" />
        </Button>
      )}
    >
      <ValueActions {...props} />
    </LateMenu>
  );
}

/** Actions for all values of an entry. */
export function EntryActions(
  props: Omit<ValueActionsProps, 'name' | 'value'> & { values: readonly NamedValue[] },
) {
  const { values, ...shared } = props;
  return (
    <MenuGroup label="Values of this entry">
      {values.map(({ name, value }) => (
        <MenuBranch
          key={name}
          label={
            <span className="min-w-0 truncate">
              <bdi className="text-muted">{name}</bdi> <bdi>{value.slice(0, titleCharactersMax)}</bdi>
            </span>
          }
        >
          <ValueActions name={name} value={value} {...shared} />
        </MenuBranch>
      ))}
    </MenuGroup>
  );
}

type ItemProps = { icon: IconName; isOn: boolean; onClick: () => void; children: string };

function Item({ icon, isOn, onClick, children }: ItemProps) {
  return (
    <MenuAction onClick={onClick}>
      <Icon name={icon} />
      {children}
      {isOn && (
        <>
          <span className="sr-only">, chosen</span>
          <Icon name="check" className="ml-auto text-accent" />
        </>
      )}
    </MenuAction>
  );
}
