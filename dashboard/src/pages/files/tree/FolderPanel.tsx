/** The tree of folders: beside the files, or behind a button where the window is narrow. */
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { FolderTree, type FolderTreeProps } from './FolderTree.tsx';

export function FolderPanel(props: FolderTreeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="grid gap-2 lg:sticky lg:top-4">
      <Button
        className="justify-self-start lg:hidden"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="folder" />
        Folders
        <Icon name={isOpen ? 'up' : 'down'} className="size-3" />
      </Button>
      <div
        className={`rounded-xl border border-line bg-panel p-1.5 shadow-panel lg:block lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto
          ${isOpen ? '' : 'hidden'}`}
      >
        <FolderTree {...props} />
      </div>
    </div>
  );
}
