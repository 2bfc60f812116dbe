/** Shows one file with its details and actions. Arrow keys open the previous and next file. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { fileQuery } from '../../../queries/files.ts';
import { Button, styleButton } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { useLastValue } from '../../../ui/hooks/useLastValue.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu, MenuAction } from '../../../ui/Menu.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import type { FileActions } from '../actions/fileActions.ts';
import { RestoreButton } from '../actions/RestoreButton.tsx';
import { useMediaAddresses } from '../media.ts';
import type { ChangeFileSearch } from '../search.ts';
import { FileContent } from './FileContent.tsx';
import { FileDetails } from './FileDetails.tsx';

type ViewerProps = {
  project: string;
  /** The id of the open file; null if none. */
  open: string | null;
  files: readonly FileRecord[];
  mayChange: boolean;
  actions: FileActions;
  onOpen: (file: string | undefined) => void;
  onChange: ChangeFileSearch;
};

export function Viewer({ project, open, files, mayChange, actions, onOpen, onChange }: ViewerProps) {
  const { file, error } = useShownFile({ project, open, files });
  const at = files.findIndex(({ id }) => id === open);
  const step = (by: 1 | -1) => {
    const next = at < 0 ? undefined : files[at + by];
    if (next) onOpen(next.id);
  };
  const handleKey = (event: KeyboardEvent) => {
    // Players and fields use the arrow keys themselves.
    const isTaken = event.target instanceof Element && event.target.closest('video, audio, input, select');
    if (isTaken || actions.asked !== null || file === null) return;
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
    if (event.key === 'Delete' && mayChange) actions.ask(nameDeletion(file), [file]);
    if (event.key === 'F2' && mayChange && file.deletedAt === undefined) actions.ask('rename', [file]);
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
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 md:grid-cols-[minmax(0,1fr)_17rem]">
            <FileContent key={file.id} project={project} file={file} />
            <FileDetails
              project={project}
              file={file}
              onFilter={change => onChange({ ...change, file: undefined })}
            />
          </div>
        )}
      </DialogBody>
      {file && (
        <ViewerButtons
          project={project}
          file={file}
          mayChange={mayChange}
          actions={actions}
          onClose={() => onOpen(undefined)}
          onBack={at > 0 ? () => step(-1) : null}
          onForth={at >= 0 && at < files.length - 1 ? () => step(1) : null}
        />
      )}
    </Dialog>
  );
}

function nameDeletion(file: FileRecord): 'delete' | 'deleteForever' {
  return file.deletedAt === undefined ? 'delete' : 'deleteForever';
}

/** Returns the file from the list, or loads it if the list lacks it. */
function useShownFile({ project, open, files }: Pick<ViewerProps, 'project' | 'open' | 'files'>) {
  const lastListed = useLastValue(files.find(({ id }) => id === open) ?? null);
  // A file that leaves the list while open was just deleted, so the service no longer knows it.
  const listed = lastListed?.id === open ? lastListed : undefined;
  const { data: asked, error } = useQuery({
    ...fileQuery(project, open ?? ''),
    enabled: open !== null && listed === undefined,
  });
  const current = open === null ? null : (listed ?? asked ?? null);
  const last = useLastValue(current);
  // While the dialog fades out, it keeps its file. It never shows one file in place of another.
  return { file: open === null ? last : current, error };
}

type ViewerButtonsProps = Pick<ViewerProps, 'project' | 'mayChange' | 'actions'> & {
  file: FileRecord;
  /** null on the first file. */
  onBack: (() => void) | null;
  onForth: (() => void) | null;
  onClose: () => void;
};

function ViewerButtons({ project, file, mayChange, actions, onBack, onForth, onClose }: ViewerButtonsProps) {
  const addresses = useMediaAddresses(project, file);
  const isTrashed = file.deletedAt !== undefined;
  return (
    <DialogButtons>
      <div className="mr-auto flex gap-1.5">
        <StepButton label="Previous file" icon="left" onPress={onBack} />
        <StepButton label="Next file" icon="right" onPress={onForth} />
      </div>
      {mayChange && (
        <Button look="risky" size="small" onClick={() => actions.ask(nameDeletion(file), [file])}>
          <Icon name="bin" />
          {isTrashed ? 'Delete forever' : 'Delete'}
        </Button>
      )}
      {isTrashed && mayChange && (
        <RestoreButton project={project} files={[file]} look="plain" onDone={onClose} />
      )}
      {!isTrashed && <MoreMenu file={file} mayChange={mayChange} actions={actions} />}
      {!isTrashed && (
        <Link
          to="/projects/$project/files"
          params={{ project }}
          search={{ path: file.path || undefined, ...(file.path === '' && { query: '-path:*' }) }}
          className={styleButton({ size: 'small' })}
        >
          <Icon name="folder" />
          Show in folder
        </Link>
      )}
      {addresses && (
        <a className={styleButton({ size: 'small' })} href={addresses.download} download>
          <Icon name="download" />
          Download
        </a>
      )}
      {!isTrashed && <CopyButton text={file.url} label="Copy URL" showLabel />}
    </DialogButtons>
  );
}

function MoreMenu({ file, mayChange, actions }: Pick<ViewerButtonsProps, 'file' | 'mayChange' | 'actions'>) {
  return (
    <Menu
      align="end"
      side="top"
      trigger={
        <Button size="small" aria-label="More actions for this file">
          <Icon name="more" />
        </Button>
      }
    >
      {mayChange && (
        <>
          <MenuAction onClick={() => actions.ask('rename', [file])}>Rename…</MenuAction>
          <MenuAction onClick={() => actions.ask('move', [file])}>Move…</MenuAction>
          <MenuAction onClick={() => actions.ask('metadata', [file])}>Edit metadata…</MenuAction>
          <MenuAction onClick={() => actions.ask('visibility', [file])}>Public or private…</MenuAction>
        </>
      )}
      <MenuAction onClick={() => actions.ask('link', [file])}>Signed link…</MenuAction>
    </Menu>
  );
}

type StepButtonProps = { label: string; icon: 'left' | 'right'; onPress: (() => void) | null };

function StepButton({ label, icon, onPress }: StepButtonProps) {
  return (
    <Button
      size="icon"
      aria-label={label}
      title={label}
      // A disabled button would lose the focus, and the arrow keys with it.
      aria-disabled={onPress === null}
      className="aria-disabled:opacity-45"
      onClick={onPress ?? undefined}
    >
      <Icon name={icon} />
    </Button>
  );
}
