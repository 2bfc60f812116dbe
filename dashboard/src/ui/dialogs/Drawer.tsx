/** A drawer at the page's edge. Focus stays inside; Escape or a click outside closes it. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { type KeyboardEventHandler, type ReactNode, useRef } from 'react';

type DrawerProps = {
  label: string;
  onClose: () => void;
  /** Finds the element to focus after closing. */
  findReturn: () => HTMLElement | null;
  onKeyDown: KeyboardEventHandler;
  children: ReactNode;
};

export function Drawer({ label, onClose, findReturn, onKeyDown, children }: DrawerProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-20 bg-[oklch(0.15_0.01_60/0.45)]" />
        <Base.Popup
          ref={popup}
          aria-label={label}
          initialFocus={popup}
          finalFocus={findReturn}
          onKeyDown={onKeyDown}
          className="fixed inset-y-0 right-0 z-20 flex w-[min(100%,40rem)] animate-arrive flex-col border-l border-line bg-panel
            shadow-float outline-none"
        >
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
