/** The Ctrl+K dialog: a field, with everything it can open below. */
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import { Dialog, DialogBody } from '../../ui/dialogs/Dialog.tsx';
import { controlStyle } from '../../ui/forms/Field.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { idOfOption, OptionList, stepAmong } from '../../ui/options/OptionList.tsx';
import { useOpenProject } from '../currentProject.ts';
import { type Target, useTargets } from './targets.ts';

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

type PaletteProps = { typed: string; onType: (typed: string) => void; onClose: () => void };

export function Palette({ typed, onType, onClose }: PaletteProps) {
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const id = useId();
  const navigate = useNavigate();
  const { groups, isSettled } = useTargets(typed, useOpenProject());
  const all = groups.flatMap(({ options }) => options);
  const active = all.find(({ key }) => key === activeKey) ?? all[0];
  const open = ({ link }: Target) => {
    onClose();
    void navigate(link);
  };
  const { isAwaited, take, forget } = useAwaited(isSettled, () => active && open(active));
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = steps[event.key];
    if (step !== undefined) setActiveKey(stepAmong(all, active?.key ?? null, step)?.key ?? null);
    else if (event.key === 'Enter') take(active?.key === activeKey);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" open isSearch onClose={onClose}>
      <DialogBody>
        <input
          type="text"
          role="combobox"
          aria-label="Page, project, view, alert rule, player or file"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active && idOfOption(`${id}-list`, active)}
          placeholder="Page, project, view, alert rule, player or file"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={event => {
            onType(event.target.value);
            setActiveKey(null);
            forget();
          }}
          onKeyDown={handleKey}
          className={`${controlStyle} h-11`}
        />
        <OptionList
          id={`${id}-list`}
          label="Results"
          groups={groups}
          active={active?.key ?? null}
          onChoose={open}
          className="-mx-2"
          lineStyle="min-h-10 gap-2.5 text-sm"
        >
          {target => <TargetLine target={target} />}
        </OptionList>
        {isAwaited && <Awaited />}
        {all.length === 0 && <p className="text-sm text-muted">Nothing matches.</p>}
      </DialogBody>
    </Dialog>
  );
}

/** Enter right after typing waits for the best result instead of opening the first one there. */
function useAwaited(isSettled: boolean, onSettled: () => void) {
  const [isAwaited, setIsAwaited] = useState(false);
  const onceSettled = useEffectEvent(onSettled);
  useEffect(() => {
    if (isAwaited && isSettled) onceSettled();
  }, [isAwaited, isSettled]);
  const take = (isChosen: boolean) => (isSettled || isChosen ? onSettled() : setIsAwaited(true));
  return { isAwaited, take, forget: () => setIsAwaited(false) };
}

function Awaited() {
  return (
    <p role="status" className="text-sm text-muted">
      Looking for players and files…
    </p>
  );
}

function TargetLine({ target: { icon, label, about } }: { target: Target }) {
  return (
    <>
      <Icon name={icon} className="text-muted" />
      <bdi className="min-w-0 truncate">{label}</bdi>{' '}
      <bdi className="ml-auto max-w-[45%] shrink-0 truncate text-[0.8rem] text-muted">{about}</bdi>
    </>
  );
}
