/** All tools, and a box that finds one. The box keeps the focus: arrows walk through the list, Enter opens. */
import { type Guide, groups } from '@tapedeck/guides';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { controlStyle } from '../../ui/forms/Field.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { searchGuides } from './guides.ts';
import { ToolPlate } from './ToolPlate.tsx';

type ToolPickerProps = { open: string | undefined; onOpen: (id: string) => void };

export function ToolPicker({ open, onOpen }: ToolPickerProps) {
  const list = useId();
  const box = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState('');
  const [active, setActive] = useState<string | null>(null);
  const found = searchGuides(asked);
  const sections = asked.trim() === '' ? inGroups(found) : inOne(found);
  useEffect(() => {
    // A keyboard that slides over the page would hide what is to be read.
    if (open === undefined && matchMedia('(hover: hover)').matches)
      box.current?.focus({ preventScroll: true });
  }, [open]);
  const ask = (text: string) => {
    setAsked(text);
    setActive(text.trim() === '' ? null : (searchGuides(text)[0]?.id ?? null));
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive(walk(found, active ?? open ?? null, step));
    else if (event.key === 'Enter' && active !== null) onOpen(active);
    else return;
    event.preventDefault();
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <span className="relative grid">
        <Icon
          name="search"
          className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted"
        />
        <input
          ref={box}
          type="search"
          role="combobox"
          aria-label="Find a tool"
          aria-expanded="true"
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={active === null ? undefined : `${list}-${active}`}
          placeholder="Find a tool"
          autoComplete="off"
          spellCheck={false}
          value={asked}
          onChange={event => ask(event.target.value)}
          onKeyDown={handleKey}
          className={`${controlStyle} h-11 pl-9`}
        />
      </span>
      <ToolList {...{ id: list, sections, active, open, onOpen }} />
      <p role="status" className="sr-only">
        {asked.trim() !== '' && `${found.length} ${found.length === 1 ? 'tool' : 'tools'} found`}
      </p>
    </div>
  );
}

type Section = { group: string; guides: readonly Guide[] };
type ToolListProps = ToolPickerProps & { id: string; sections: readonly Section[]; active: string | null };

function ToolList({ id, sections, active, open, onOpen }: ToolListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Tools"
      className="grid grid-cols-[minmax(0,1fr)] content-start overflow-y-auto rounded-xl border border-line bg-panel p-1.5 shadow-panel lg:max-h-[calc(100dvh-13rem)]"
    >
      {sections.map(({ group, guides }) => (
        // biome-ignore lint/a11y/useSemanticElements: a list of options has groups, no fieldsets
        <div key={group} role="group" aria-label={group} className="not-first:mt-2">
          <p aria-hidden="true" className="engraved px-2 pt-1.5 pb-1">
            {group}
          </p>
          {guides.map(guide => (
            <Tool
              key={guide.id}
              id={`${id}-${guide.id}`}
              guide={guide}
              isActive={guide.id === active}
              isOpen={guide.id === open}
              onOpen={() => onOpen(guide.id)}
            />
          ))}
        </div>
      ))}
      {sections.length === 0 && (
        // biome-ignore lint/a11y/useFocusableInteractive: nothing to choose
        <div
          role="option"
          aria-selected="false"
          aria-disabled="true"
          className="px-2 py-3 text-sm text-muted"
        >
          No tool has this name. Anything that speaks HTTP can use the settings of “curl”.
        </div>
      )}
    </div>
  );
}

type ToolProps = { id: string; guide: Guide; isActive: boolean; isOpen: boolean; onOpen: () => void };

function Tool({ id, guide, isActive, isOpen, onOpen }: ToolProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the box has the focus and says which option is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the box takes the keys for all options
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={isOpen}
      onClick={onOpen}
      className={`flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2 py-1 text-sm transition-colors
        ${isOpen ? 'bg-ink/8 font-medium' : ''} ${isActive ? 'bg-accent/15 outline-2 -outline-offset-2 outline-accent' : 'hover:bg-ink/5'}`}
    >
      <ToolPlate guide={guide} />
      <span className="min-w-0 truncate">{guide.title}</span>
    </div>
  );
}

/** What fits best stands first. */
function inOne(found: readonly Guide[]): Section[] {
  return found.length === 0 ? [] : [{ group: 'Found', guides: found }];
}

function inGroups(found: readonly Guide[]): Section[] {
  return groups
    .map(group => ({ group, guides: found.filter(guide => guide.group === group) }))
    .filter(({ guides }) => guides.length > 0);
}

/** From one to the next, and from an end to the other. */
function walk(found: readonly Guide[], from: string | null, step: number): string | null {
  const at = found.findIndex(({ id }) => id === from);
  const next = at === -1 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length;
  return found[next]?.id ?? null;
}
