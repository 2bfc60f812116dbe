/** Lists all tools under a search box. The box keeps the focus: arrows move through the list, Enter opens a tool. */
import { type Guide, groups } from '@tapedeck/guides';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { controlStyle } from '../../ui/forms/Field.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { idOfOption, type OptionGroup, OptionList, stepAmong } from '../../ui/options/OptionList.tsx';
import { searchGuides } from './guides.ts';
import { ToolCard } from './ToolCard.tsx';

type ToolPickerProps = { open: string | undefined; onOpen: (id: string) => void };

export function ToolPicker({ open, onOpen }: ToolPickerProps) {
  const list = useId();
  const box = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState('');
  const [active, setActive] = useState<string | null>(null);
  const found = findTools(asked);
  const sections = asked.trim() === '' ? inGroups(found) : inOne(found);
  useEffect(() => {
    // On a phone, focus would open the keyboard over the list.
    if (open === undefined && matchMedia('(hover: hover)').matches)
      box.current?.focus({ preventScroll: true });
  }, [open]);
  const ask = (text: string) => {
    setAsked(text);
    setActive(text.trim() === '' ? null : (searchGuides(text)[0]?.id ?? null));
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive(stepAmong(found, active ?? open ?? null, step)?.key ?? null);
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
          aria-activedescendant={active === null ? undefined : idOfOption(list, { key: active })}
          placeholder="Find a tool"
          autoComplete="off"
          spellCheck={false}
          value={asked}
          onChange={event => ask(event.target.value)}
          onKeyDown={handleKey}
          className={`${controlStyle} h-11 pl-9`}
        />
      </span>
      <ToolList id={list} sections={sections} active={active} open={open} onOpen={onOpen} />
      <p role="status" className="sr-only">
        {asked.trim() !== '' && `${found.length} ${found.length === 1 ? 'tool' : 'tools'} found`}
      </p>
    </div>
  );
}

type Tool = { key: string; guide: Guide };
type ToolListProps = ToolPickerProps & {
  id: string;
  sections: readonly OptionGroup<Tool>[];
  active: string | null;
};

function ToolList({ id, sections, active, open, onOpen }: ToolListProps) {
  return (
    <OptionList
      id={id}
      label="Tools"
      groups={sections}
      active={active}
      chosen={open ?? ''}
      onChoose={({ key }) => onOpen(key)}
      className="grid grid-cols-[minmax(0,1fr)] content-start overflow-y-auto rounded-xl border border-line bg-panel p-1.5 shadow-panel lg:max-h-[calc(100dvh-13rem)]"
      lineStyle="min-h-10 gap-2.5 py-1 text-sm"
      empty="No tool has this name. Anything that speaks HTTP can use the settings of “curl”."
    >
      {({ guide }) => (
        <>
          <ToolCard guide={guide} />
          <span className="min-w-0 wrap-anywhere">{guide.title}</span>
        </>
      )}
    </OptionList>
  );
}

/** Puts the best match first. */
function inOne(found: readonly Tool[]): OptionGroup<Tool>[] {
  return found.length === 0 ? [] : [{ title: 'Found', options: found }];
}

function inGroups(found: readonly Tool[]): OptionGroup<Tool>[] {
  return groups
    .map(group => ({ title: group, options: found.filter(({ guide }) => guide.group === group) }))
    .filter(({ options }) => options.length > 0);
}

function findTools(asked: string): Tool[] {
  return searchGuides(asked).map(guide => ({ key: guide.id, guide }));
}
