/** Shows JSON as a tree. Objects and lists open and close; the outer ones start open. */
import { type ReactNode, useState } from 'react';
import type { Json } from '../../../format/json.ts';
import { countThings } from '../../../format/numbers.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Highlight } from '../highlight/Highlight.tsx';

const levelsOpened = 2;
const itemsShown = 100; // per object or list; a button shows the rest

type JsonTreeProps = {
  value: Json;
  terms: readonly string[];
  /** `span` inside an option of a listbox, which may not contain buttons. */
  press: 'button' | 'span';
};

export function JsonTree({ value, terms, press }: JsonTreeProps) {
  return (
    <div className="overflow-x-auto font-mono text-[0.8rem] leading-relaxed">
      <Items items={listItems(value)} terms={terms} press={press} depth={0} />
    </div>
  );
}

type Item = readonly [name: string, value: Json];

function listItems(value: Json): readonly Item[] {
  if (Array.isArray(value)) return value.map((each, index) => [String(index), each]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

type PlacedProps = Omit<JsonTreeProps, 'value'> & { depth: number };

function Items({ items, depth, ...rest }: PlacedProps & { items: readonly Item[] }) {
  const [showsAll, setShowAll] = useState(false);
  const shown = showsAll ? items : items.slice(0, itemsShown);
  return (
    <ul className={depth === 0 ? '' : 'ml-[0.45rem] border-l border-line pl-3'}>
      {shown.map(([name, value]) => (
        <Branch key={name} {...rest} name={name} value={value} depth={depth} />
      ))}
      {shown.length < items.length && (
        <li>
          <rest.press
            {...kindOf(rest.press)}
            onClick={() => setShowAll(true)}
            className="min-h-6 cursor-pointer text-muted underline decoration-edge underline-offset-3 hover:text-ink"
          >
            Show {items.length - shown.length} more
          </rest.press>
        </li>
      )}
    </ul>
  );
}

function Branch({ name, value, terms, depth, press: Press }: PlacedProps & { name: string; value: Json }) {
  const [isOpen, setOpen] = useState(depth + 1 < levelsOpened);
  const items = listItems(value);
  const label = <bdi className="text-muted">{name}:</bdi>;
  if (items.length === 0)
    return (
      <li className="pl-[1.15rem] wrap-anywhere">
        {label} <Leaf value={value} terms={terms} />
      </li>
    );
  return (
    <li>
      <Press
        {...kindOf(Press)}
        {...(Press === 'button' && { 'aria-expanded': isOpen })}
        onClick={() => setOpen(!isOpen)}
        className="flex cursor-pointer min-h-6 max-w-full items-center gap-1 rounded-sm text-left hover:bg-ink/6"
      >
        <Icon name={isOpen ? 'down' : 'right'} className="size-3 shrink-0 text-muted" />
        {label}
        <span className="text-muted">{describe(value, items.length)}</span>
      </Press>
      {isOpen && <Items items={items} terms={terms} press={Press} depth={depth + 1} />}
    </li>
  );
}

function kindOf(press: JsonTreeProps['press']) {
  return press === 'button' ? { type: press } : {};
}

function describe(value: Json, count: number): string {
  return Array.isArray(value) ? countThings(count, 'item') : countThings(count, 'field');
}

function Leaf({ value, terms }: Pick<JsonTreeProps, 'value' | 'terms'>): ReactNode {
  if (typeof value === 'string')
    return value === '' ? (
      <span className="text-muted">""</span>
    ) : (
      <bdi className="whitespace-pre-wrap">
        <Highlight text={value} terms={terms} />
      </bdi>
    );
  const isEmpty = typeof value === 'object' && value !== null;
  const text = isEmpty ? (Array.isArray(value) ? '[]' : '{}') : String(value);
  return <span className="text-level-info">{text}</span>;
}
