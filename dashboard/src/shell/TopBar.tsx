/** The page's top on a phone: the logo, and the navigation behind a button. */
import { Dialog } from '@base-ui/react/dialog';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Wordmark } from '../ui/Logo.tsx';
import { AlertBell } from './AlertBell.tsx';
import { PaletteIconButton } from './palette/PaletteKey.tsx';
import { Sidebar } from './Sidebar.tsx';

export function TopBar() {
  const [open, setOpen] = useState(false);
  const { href } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the navigation after each change of page
  useEffect(() => setOpen(false), [href]);
  return (
    <header className="sticky top-0 z-10 flex h-14 items-center justify-between border-b border-line bg-paper/90 px-5 backdrop-blur md:hidden">
      <Link to="/" aria-label="Tapedeck, home">
        <Wordmark />
      </Link>
      <span className="mr-2 ml-auto flex items-center gap-1">
        <PaletteIconButton />
        <AlertBell />
      </span>
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger
          aria-label="Navigation"
          className="-mr-2 grid size-10 place-items-center rounded-lg hover:bg-ink/5"
        >
          <Icon name="bars" className="size-5" />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 bg-[oklch(0.15_0.01_60/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
          <Dialog.Popup className="fixed inset-y-0 left-0 w-[min(18rem,85vw)] border-r border-line bg-paper shadow-float transition duration-200 outline-none data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
            <Dialog.Title className="sr-only">Navigation</Dialog.Title>
            <Sidebar />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </header>
  );
}
