/** The dialogs for actions on files. */
import { useLastValue } from '../../../ui/hooks/useLastValue.ts';
import { DeleteDialog } from './DeleteDialog.tsx';
import type { FileActions } from './fileActions.ts';
import { LinkDialog } from './LinkDialog.tsx';
import { MetadataDialog } from './MetadataDialog.tsx';
import { MoveDialog } from './MoveDialog.tsx';
import { RenameDialog } from './RenameDialog.tsx';
import { VisibilityDialog } from './VisibilityDialog.tsx';

type FileActionDialogsProps = {
  project: string;
  actions: FileActions;
  /** Called after the files left the list. */
  onGone: () => void;
};

export function FileActionDialogs({ project, actions, onGone }: FileActionDialogsProps) {
  // Keeps the content while a dialog fades out.
  const shown = useLastValue(actions.asked);
  if (shown === null) return null;
  const { key, action, files } = shown;
  const props = { project, files, open: actions.asked !== null, onClose: actions.close };
  const [first] = files;
  switch (action) {
    case 'move':
      return <MoveDialog key={key} {...props} />;
    case 'metadata':
      return <MetadataDialog key={key} {...props} />;
    case 'visibility':
      return <VisibilityDialog key={key} {...props} />;
    case 'rename':
      return first ? <RenameDialog key={key} {...props} file={first} /> : null;
    case 'link':
      return first ? <LinkDialog key={key} {...props} file={first} /> : null;
    case 'delete':
    case 'deleteForever':
      return <DeleteDialog key={key} {...props} isForever={action === 'deleteForever'} onDeleted={onGone} />;
  }
}
