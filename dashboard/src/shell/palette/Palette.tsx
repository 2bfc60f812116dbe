/** The dialog of Ctrl+K: a field, and below it everything that can be opened. */
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Dialog, DialogBody } from '../../ui/dialogs/Dialog.tsx';
import { controlStyle } from '../../ui/forms/Field.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useOpenProject } from '../openProject.ts';
import { type Target, type TargetGroup, useTargets } from './targets.ts';

export function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const id = useId();
  const navigate = useNavigate();
  const groups = useTargets(typed, useOpenProject());
  const all = groups.flatMap(({ targets }) => targets);
  const active = all.find(({ key }) => key === activeKey) ?? all[0];
  const open = ({ link }: Target) => {
    onClose();
    void navigate(link);
  };
  const walk = (step: number) => {
    const at = active === undefined ? 0 : all.indexOf(active);
    setActiveKey(all[(at + step + all.length) % all.length]?.key ?? null);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) walk(step);
    else if (event.key === 'Enter' && active !== undefined) open(active);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" open onClose={onClose}>
      <DialogBody>
        <input
          type="text"
          role="combobox"
          aria-label="Page, project, view or file"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active && `${id}-${encodeURIComponent(active.key)}`}
          placeholder="Page, project, view or file"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={event => {
            setTyped(event.target.value);
            setActiveKey(null);
          }}
          onKeyDown={handleKey}
          className={`${controlStyle} h-11`}
        />
        <Groups {...{ id, groups, active }} onOpen={open} />
        {all.length === 0 && <p className="text-sm text-muted">Nothing matches.</p>}
      </DialogBody>
    </Dialog>
  );
}

type GroupsProps = {
  id: string;
  groups: readonly TargetGroup[];
  active: Target | undefined;
  onOpen: (target: Target) => void;
};

function Groups({ id, groups, active, onOpen }: GroupsProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="What can be opened" className="-mx-2">
      {groups.map(({ title, targets }) => (
        // biome-ignore lint/a11y/useSemanticElements: a list of options has groups, no fieldsets
        <div key={title} role="group" aria-label={title}>
          <p aria-hidden="true" className="engraved px-2.5 pt-2 pb-0.5">
            {title}
          </p>
          {targets.map(target => (
            <Line
              key={target.key}
              id={`${id}-${encodeURIComponent(target.key)}`}
              target={target}
              isActive={target === active}
              onOpen={() => onOpen(target)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

type LineProps = { id: string; target: Target; isActive: boolean; onOpen: () => void };

function Line({ id, target: { label, about, icon }, isActive, onOpen }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and says which option is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys for all options
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={onOpen}
      className={`flex min-h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm phone:min-h-11 ${isActive ? 'bg-accent/15' : 'hover:bg-ink/6'}`}
    >
      <Icon name={icon} className="text-muted" />
      <bdi className="min-w-0 truncate">{label}</bdi>{' '}
      <bdi className="ml-auto max-w-[45%] shrink-0 truncate text-[0.8rem] text-muted">{about}</bdi>
    </div>
  );
}
