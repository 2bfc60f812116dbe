/** A list of things to go to or to do, behind a button. */
import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';

const itemStyle = `flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none
  cursor-pointer select-none data-highlighted:bg-ink/7`;

type MenuProps = {
  trigger: ReactElement;
  children: ReactNode;
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
};

export function Menu({ trigger, children, side = 'bottom', align = 'start' }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={6} className="z-10 outline-none">
          <Base.Popup
            className="max-h-(--available-height) min-w-[max(13rem,var(--anchor-width))] max-w-80 overflow-y-auto
              rounded-xl border border-line bg-panel p-1.5 shadow-float transition duration-100 outline-none
              data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** `to` is a link element: going somewhere stays a link that can be opened in a tab of its own. */
export function MenuLink({ to, children }: { to: ReactElement; children: ReactNode }) {
  return (
    <Base.LinkItem render={to} closeOnClick className={itemStyle}>
      {children}
    </Base.LinkItem>
  );
}

export function MenuAction({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Base.Item onClick={onClick} className={itemStyle}>
      {children}
    </Base.Item>
  );
}

type MenuChoicesProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  choices: readonly { value: T; content: ReactNode }[];
};

export function MenuChoices<T extends string>({ label, value, onChange, choices }: MenuChoicesProps<T>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="engraved px-2.5 pt-2 pb-1">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={onChange}>
        {choices.map(choice => (
          <Base.RadioItem key={choice.value} value={choice.value} className={itemStyle}>
            {choice.content}
            <Base.RadioItemIndicator className="ml-auto size-1.5 rounded-full bg-accent" />
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

export function MenuLine() {
  return <Base.Separator className="mx-1 my-1.5 h-px bg-line" />;
}
