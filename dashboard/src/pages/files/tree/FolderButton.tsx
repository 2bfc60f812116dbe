/** Renames or moves the open folder. */
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { FolderMoveDialog } from '../actions/FolderMoveDialog.tsx';

export function FolderButton({ project, path }: { project: string; path: string }) {
  /** Counts up, so that the dialog always starts with the folder's path. */
  const [times, setTimes] = useState(0);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        look="quiet"
        size="icon"
        aria-label="Rename or move this folder"
        title="Rename or move this folder"
        onClick={() => {
          setTimes(times + 1);
          setOpen(true);
        }}
      >
        <Icon name="pencil" />
      </Button>
      <FolderMoveDialog
        key={`${path} ${times}`}
        project={project}
        path={path}
        open={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
