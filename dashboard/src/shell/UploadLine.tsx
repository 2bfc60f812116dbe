/** An upload in the tray: its progress, result and actions. */
import { Link } from '@tanstack/react-router';
import { memo, useRef } from 'react';
import { formatBytes, formatLimit } from '../format/sizes.ts';
import type { UploadHandling } from '../queries/uploads.ts';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Icon } from '../ui/Icon.tsx';
import { isOpen, type Upload } from '../uploads/uploadStates.ts';

type UploadLineProps = UploadHandling & { upload: Upload };

/** Memoized, because a hundred rows are visible while thousands of files upload. */
export const UploadLine = memo(function UploadLine({ upload, ...handling }: UploadLineProps) {
  const { id, name, size, state } = upload;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1.5 py-2 pr-2 pl-4 text-sm">
      <div className="flex items-center gap-2">
        <UploadName upload={upload} />
        <span className="font-mono text-[0.74rem] text-muted tabular-nums">
          {state.kind === 'sending' || state.kind === 'interrupted'
            ? `${Math.floor(state.share * 100)} %`
            : state.kind === 'refused' // perhaps for its size
              ? formatLimit(size)
              : formatBytes(size)}
        </span>
        <LineButtons upload={upload} {...handling} />
      </div>
      {(state.kind === 'sending' || state.kind === 'interrupted') && (
        <progress value={state.share} max={1} aria-label={`Upload of ${name}`} className="progress mr-2" />
      )}
      {state.kind === 'skipped' && <p className="text-muted">Already here, skipped</p>}
      {state.kind === 'interrupted' && (
        <ResumeButton name={name} reason={state.reason} onChosen={file => handling.onResume(id, file)} />
      )}
      {(state.kind === 'failed' || state.kind === 'refused') && (
        <p role="alert" className="text-danger">
          {state.reason}
        </p>
      )}
    </li>
  );
});

/** Links to the file if the service has it. */
function UploadName({ upload: { project, name, state } }: { upload: Upload }) {
  const file = state.kind === 'kept' ? state.file.id : state.kind === 'skipped' ? state.fileId : null;
  return (
    <span className="min-w-0 flex-1 truncate" title={name}>
      {file === null ? (
        name
      ) : (
        <Link
          to="/projects/$project/files"
          params={{ project }}
          search={{ file }}
          className="leading-[24px] underline decoration-edge underline-offset-3"
        >
          {name}
        </Link>
      )}
    </span>
  );
}

function LineButtons({ upload: { id, name, state }, onRetry, onForget, onSendAnyway }: UploadLineProps) {
  return (
    <>
      {state.kind === 'kept' && <CopyButton text={state.file.url} label={`Copy the URL of ${name}`} />}
      {state.kind === 'failed' && (
        <Button look="quiet" size="icon" aria-label={`Try ${name} again`} onClick={() => onRetry(id)}>
          <Icon name="again" />
        </Button>
      )}
      {state.kind === 'skipped' && (
        <Button
          look="quiet"
          size="icon"
          aria-label={`Upload ${name} anyway`}
          title="Upload anyway"
          onClick={() => onSendAnyway(id)}
        >
          <Icon name="upload" />
        </Button>
      )}
      {state.kind !== 'kept' && (
        <Button
          look="quiet"
          size="icon"
          aria-label={isOpen(state) ? `Stop ${name}` : `Remove ${name} from the list`}
          onClick={() => onForget(id)}
        >
          <Icon name="cross" className="size-3" />
        </Button>
      )}
    </>
  );
}

type ResumeButtonProps = { name: string; reason: string; onChosen: (file: File) => void };

/** After a reload, the page can no longer read the file by itself. */
function ResumeButton({ name, reason, onChosen }: ResumeButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <p role="status">{reason || 'Interrupted. Choose the same file again to resume.'}</p>
      <Button size="small" aria-label={`Choose ${name} again`} onClick={() => input.current?.click()}>
        Choose
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`${name} again`}
        onChange={event => {
          const [file] = event.target.files ?? [];
          if (file) onChosen(file);
          event.target.value = '';
        }}
      />
    </div>
  );
}
