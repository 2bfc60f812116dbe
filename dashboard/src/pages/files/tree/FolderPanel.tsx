/** Shows the folder tree beside the files, or behind a button in narrow windows. */
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { FolderTree, type FolderTreeProps } from './FolderTree.tsx';

export type FolderPanelState = { isOpen: boolean; setOpen: (isOpen: boolean) => void };

export function useFolderPanel(): FolderPanelState {
  const [isOpen, setOpen] = useState(false);
  return { isOpen, setOpen };
}

/** Goes in the bar above the files. */
export function FoldersButton({ isOpen, setOpen }: FolderPanelState) {
  return (
    <Button className="h-10 lg:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      <Icon name="folder" />
      Folders
      <Icon name={isOpen ? 'up' : 'down'} className="size-3" />
    </Button>
  );
}

export function FolderPanel({ isOpen, ...props }: FolderTreeProps & { isOpen: boolean }) {
  return (
    <div
      className={`rounded-xl border border-line bg-panel p-1.5 shadow-panel lg:sticky lg:top-4 lg:block
        lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto ${isOpen ? '' : 'hidden'}`}
    >
      <FolderTree {...props} />
    </div>
  );
}
