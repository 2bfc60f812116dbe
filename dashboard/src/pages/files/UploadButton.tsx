/** Chooses local files or a folder, and the project folder to upload them to. */
import { mediaTypes } from '@tapedeck/client';
import { useRef, useState } from 'react';
import { formatLimit } from '../../format/sizes.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../ui/dialogs/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FolderField } from './FolderField.tsx';

type UploadButtonProps = {
  project: string;
  /** The open folder. */
  folder: string;
  fileSizeBytesMax: number;
  onFiles: (files: readonly File[], folder: string) => void;
};

export function UploadButton({ project, folder, fileSizeBytesMax, onFiles }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  /** null: the dialog is closed, and uploads go to the open folder. */
  const [typed, setTyped] = useState<string | null>(null);
  const take = (files: readonly File[]) => {
    const place = (typed ?? folder).replace(/^\/+|\/+$/g, '');
    for (const [inner, some] of groupByFolder(files)) onFiles(some, joinFolders(place, inner));
    setTyped(null);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        accept={mediaTypes.map(type => `${type}/*`).join(',')}
        onChange={event => {
          take([...(event.target.files ?? [])]);
          // Lets users choose the same files again.
          event.target.value = '';
        }}
      />
      <Button look="primary" onClick={() => setTyped(folder)}>
        <Icon name="upload" />
        Upload
      </Button>
      <Dialog
        title="Upload files"
        about={`Images, videos and audio, up to ${formatLimit(fileSizeBytesMax)} each. You can also drop files and folders on the page, or paste a picture.`}
        open={typed !== null}
        onClose={() => setTyped(null)}
      >
        <DialogBody>
          <FolderField
            project={project}
            hint="Enter a new name to create a folder. Leave it empty for no folder."
            value={typed ?? ''}
            onChange={setTyped}
          />
        </DialogBody>
        <DialogButtons>
          <Button onClick={() => chooseFolder(take)}>
            <Icon name="folder" />
            Choose a folder
          </Button>
          <Button look="primary" onClick={() => input.current?.click()}>
            <Icon name="upload" />
            Choose files
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  );
}

export function joinFolders(outer: string, inner: string): string {
  return [outer, inner].filter(path => path !== '').join('/');
}

/** Opens a separate input, because an input for folders cannot choose files. */
function chooseFolder(take: (files: readonly File[]) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  input.addEventListener('change', () => take([...(input.files ?? [])]));
  input.click();
}

/** Groups files by their path in the chosen folder; '' for single files. */
function groupByFolder(files: readonly File[]): Map<string, File[]> {
  return Map.groupBy(files, ({ webkitRelativePath: path }) =>
    path.slice(0, Math.max(path.lastIndexOf('/'), 0)),
  );
}
