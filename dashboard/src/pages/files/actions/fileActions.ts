/** Actions on files, with at most one open dialog. */
import { useRef, useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';

export type FileAction = 'move' | 'rename' | 'metadata' | 'visibility' | 'link' | 'delete' | 'deleteForever';

type AskedAction = {
  /** Counts up, so that each dialog starts with fresh fields. */
  key: number;
  action: FileAction;
  files: readonly FileRecord[];
};

export type FileActions = {
  /** null if no dialog is open. */
  asked: AskedAction | null;
  ask: (action: FileAction, files: readonly FileRecord[]) => void;
  close: () => void;
};

export function useFileActions(): FileActions {
  const [asked, setAsked] = useState<AskedAction | null>(null);
  const count = useRef(0);
  return {
    asked,
    ask: (action, files) => {
      count.current += 1;
      if (files.length > 0) setAsked({ key: count.current, action, files });
    },
    close: () => setAsked(null),
  };
}

export type ActionDialogProps = {
  project: string;
  files: readonly FileRecord[];
  open: boolean;
  onClose: () => void;
};
