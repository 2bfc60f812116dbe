/** A menu of links and actions behind a button. */
import { Menu as Base } from '@base-ui/react/menu';
import {
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Icon } from './Icon.tsx';

const itemStyle = `flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm outline-none
  cursor-pointer select-none data-highlighted:bg-ink/7`;

type Place = { side?: 'top' | 'bottom' | 'right'; align?: 'start' | 'end'; sideOffset?: number };
type MenuProps = Place & { trigger: ReactElement; children: ReactNode };

export function Menu({ trigger, children, ...place }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <MenuPopup {...place}>{children}</MenuPopup>
    </Base.Root>
  );
}

type Anchor = { getBoundingClientRect: () => DOMRect };
type MenuAtProps = Pick<Place, 'align'> & {
  /** Where the menu opens; null if it is closed. */
  anchor: Anchor | null;
  onClose: () => void;
  /** Gets the focus after closing. */
  returnsTo: RefObject<HTMLElement | null>;
  children: ReactNode;
};

/** A menu without its own button. */
export function MenuAt({ anchor, onClose, returnsTo, align = 'start', children }: MenuAtProps) {
  return (
    <Base.Root modal={false} open={anchor !== null} onOpenChange={isOpen => !isOpen && onClose()}>
      <MenuPopup align={align} anchor={anchor} sideOffset={2} finalFocus={returnsTo}>
        {children}
      </MenuPopup>
    </Base.Root>
  );
}

type LateMenuProps = { trigger: (props: ComponentProps<'button'>) => ReactNode; children: ReactNode };

/** A menu that renders on its first opening, for places with dozens of them. */
export function LateMenu({ trigger, children }: LateMenuProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const [anchor, setAnchor] = useState<HTMLButtonElement | null>();
  const wasOpen = useRef(false); // the press that clicks the button closes the menu first
  return (
    <>
      {trigger({
        ref,
        'aria-haspopup': 'menu',
        'aria-expanded': !!anchor,
        onPointerDown: () => {
          wasOpen.current = !!anchor;
        },
        onClick: ({ currentTarget }) => {
          setAnchor(wasOpen.current ? null : currentTarget);
          wasOpen.current = false;
        },
        onKeyDown: event => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setAnchor(event.currentTarget);
        },
      })}
      {anchor !== undefined && (
        <MenuAt align="end" anchor={anchor} onClose={() => setAnchor(null)} returnsTo={ref}>
          {children}
        </MenuAt>
      )}
    </>
  );
}

export function MenuBranch({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <Base.SubmenuRoot>
      <Base.SubmenuTrigger className={`${itemStyle} data-popup-open:bg-ink/7`}>
        {label}
        <Icon name="right" className="ml-auto size-3 text-muted" />
      </Base.SubmenuTrigger>
      <MenuPopup side="right" sideOffset={2} isBranch>
        {children}
      </MenuPopup>
    </Base.SubmenuRoot>
  );
}

type MenuPopupProps = Place & {
  anchor?: Anchor | null;
  finalFocus?: RefObject<HTMLElement | null>;
  isBranch?: boolean;
  children: ReactNode;
};

function MenuPopup(props: MenuPopupProps) {
  const { side = 'bottom', align = 'start', sideOffset = 6, anchor, finalFocus, isBranch, children } = props;
  return (
    // The portal is at the end of the page, outside its main part.
    <Base.Portal {...(!isBranch && { role: 'region', 'aria-label': 'Menu' })}>
      <Base.Positioner
        side={side}
        align={align}
        sideOffset={sideOffset}
        {...(anchor && { anchor })}
        className="z-30 outline-none"
      >
        <Base.Popup
          {...(finalFocus && { finalFocus })}
          className="max-h-(--available-height) min-w-[max(13rem,var(--anchor-width))] max-w-80 overflow-y-auto
            rounded-xl border border-line bg-panel p-1.5 shadow-float transition duration-100 outline-none
            data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0"
        >
          <UnhiddenEnds />
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

/**
 * Focus guards at the ends of a menu pass the focus on at once. Base hides them from screen readers, but accessibility rules forbid hiding focusable
 * elements. They are empty, so screen readers read nothing.
 */
function UnhiddenEnds() {
  useEffect(() => {
    const unhide = () => {
      for (const end of document.querySelectorAll('[data-base-ui-focus-guard]'))
        end.removeAttribute('aria-hidden');
    };
    unhide();
    const watch = new MutationObserver(unhide);
    watch.observe(document.body, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, []);
  return null;
}

/** `to` is a link element, so that users can open it in a new tab. */
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

type MenuCheckProps = { isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode };

/** A toggle in the menu, which stays open. */
export function MenuCheck({ isOn, onChange, children }: MenuCheckProps) {
  return (
    <Base.CheckboxItem checked={isOn} onCheckedChange={onChange} className={itemStyle}>
      {children}
      <span className="ml-auto grid size-4 place-items-center">
        <Base.CheckboxItemIndicator>
          <Icon name="check" className="text-accent" />
        </Base.CheckboxItemIndicator>
      </span>
    </Base.CheckboxItem>
  );
}

type MenuGroupProps = { label: ReactNode; children: ReactNode };

/** A group of actions with a label above. */
export function MenuGroup({ label, children }: MenuGroupProps) {
  return (
    <Base.Group>
      <Base.GroupLabel className="truncate px-2.5 pt-1.5 pb-1 font-mono text-[0.78rem] text-muted">
        {label}
      </Base.GroupLabel>
      {children}
    </Base.Group>
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
