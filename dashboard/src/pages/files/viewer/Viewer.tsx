/** One file: seen or heard, described, its URL copied; the ones before and after it a key away. */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { fileQuery } from '../../queries/files.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../ui/dialogs/Dialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { DeleteFileDialog } from './DeleteFileDialog.tsx';
import { FileContent } from './FileContent.tsx';
import { FileDetails } from './FileDetails.tsx';
import { addressOfDownload } from './media.ts';
import type { ChangeFileSearch } from './search.ts';

type FilePreviewProps = {
  project: string;
  /** The id of a file; null: none is open. */
  open: string | null;
  files: readonly FileRecord[];
  mayDelete: boolean;
  onOpen: (file: string | undefined) => void;
  onChange: ChangeFileSearch;
};

export function FilePreview({ project, open, files, mayDelete, onOpen, onChange }: FilePreviewProps) {
  const [deleting, setDeleting] = useState<FileRecord | null>(null);
  const { file, error } = useShownFile({ project, open, files });
  const at = files.findIndex(({ id }) => id === open);
  const step = (by: 1 | -1) => {
    const next = at < 0 ? undefined : files[at + by];
    if (next) onOpen(next.id);
  };
  const handleKey = (event: KeyboardEvent) => {
    // A player has a use of its own for the arrows.
    if (event.target instanceof HTMLMediaElement || deleting) return;
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  };
  return (
    <Dialog
      title={file?.filename ?? 'File'}
      open={open !== null}
      onClose={() => onOpen(undefined)}
      isLarge
      onKeyDown={handleKey}
    >
      <DialogBody>
        {error && <Notice look="error">{error.message}</Notice>}
        {!file && !error && <Spinner />}
        {file && (
          <div className="grid items-start gap-5 md:grid-cols-[minmax(0,1fr)_17rem]">
            <FileContent key={file.id} project={project} file={file} />
            <FileDetails
              file={file}
              onFilter={change => {
                onChange({ ...change, file: undefined });
              }}
            />
          </div>
        )}
      </DialogBody>
      {file && (
        <PreviewButtons
          project={project}
          file={file}
          onDelete={mayDelete ? () => setDeleting(file) : null}
          onBack={at > 0 ? () => step(-1) : null}
          onForth={at >= 0 && at < files.length - 1 ? () => step(1) : null}
        />
      )}
      <DeleteFileDialog
        project={project}
        file={deleting}
        onClose={() => setDeleting(null)}
        // Not on to the next one: its Delete would stand where this one's was.
        onDeleted={() => onOpen(undefined)}
      />
    </Dialog>
  );
}

/** From the list, or asked for where the list does not have it. */
function useShownFile({ project, open, files }: Pick<FilePreviewProps, 'project' | 'open' | 'files'>) {
  const listed = files.find(({ id }) => id === open);
  const { data: asked, error } = useQuery({
    ...fileQuery(project, open ?? ''),
    enabled: open !== null && listed === undefined,
  });
  const current = open === null ? null : (listed ?? asked ?? null);
  const last = useLastValue(current);
  // While the dialog fades away it shows what it was about; never one file in place of another.
  return { file: open === null ? last : current, error };
}

type PreviewButtonsProps = {
  project: string;
  file: FileRecord;
  /** null: the user may only look. */
  onDelete: (() => void) | null;
  /** null: there is none. */
  onBack: (() => void) | null;
  onForth: (() => void) | null;
};

function PreviewButtons({ project, file, onDelete, onBack, onForth }: PreviewButtonsProps) {
  return (
    <DialogButtons>
      <div className="mr-auto flex gap-1.5">
        <StepButton label="Previous file" icon="left" onPress={onBack} />
        <StepButton label="Next file" icon="right" onPress={onForth} />
      </div>
      {onDelete && (
        <Button look="risky" size="small" onClick={onDelete}>
          <Icon name="bin" />
          Delete
        </Button>
      )}
      <a className={styleButton({ size: 'small' })} href={addressOfDownload(project, file)} download>
        <Icon name="download" />
        Download
      </a>
      <CopyButton text={file.url} label="Copy URL" showLabel />
    </DialogButtons>
  );
}

type StepButtonProps = { label: string; icon: 'left' | 'right'; onPress: (() => void) | null };

function StepButton({ label, icon, onPress }: StepButtonProps) {
  return (
    <Button
      size="icon"
      aria-label={label}
      title={label}
      disabled={onPress === null}
      onClick={onPress ?? undefined}
    >
      <Icon name={icon} />
    </Button>
  );
}
