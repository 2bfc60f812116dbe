/** Uploads at the edge of the page: how far each is, what became of it, and what can be done about it. */
import { Button } from '../../parts/Button.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { isOpen, type Upload, type UploadHandling } from '../../queries/uploads.ts';
import { countThings } from '../../text/numbers.ts';
import { formatBytes } from '../../text/sizes.ts';

type UploadTrayProps = UploadHandling & {
  uploads: readonly Upload[];
  onOpen: (file: string) => void;
};

export function UploadTray({ uploads, onOpen, ...handling }: UploadTrayProps) {
  if (uploads.length === 0) return null;
  const open = uploads.filter(({ state }) => isOpen(state)).length;
  const failed = uploads.filter(({ state }) => state.kind === 'failed').length;
  const summary =
    open > 0
      ? `Uploading ${countThings(open, 'file')}`
      : `${countThings(uploads.length - failed, 'file')} uploaded${failed > 0 ? `, ${failed} refused` : ''}`;
  return (
    <section
      aria-label="Uploads"
      className="fixed inset-x-3 bottom-3 z-10 grid max-h-[50dvh] grid-rows-[auto_minmax(0,1fr)] overflow-hidden rounded-xl border border-line
        bg-panel shadow-float sm:left-auto sm:w-96"
    >
      <header className="flex items-center justify-between gap-3 border-b border-line py-1.5 pr-1.5 pl-4">
        <h2 className="text-sm font-medium" role="status">
          {summary}
        </h2>
        <Button look="quiet" size="small" disabled={open === uploads.length} onClick={handling.onClear}>
          Clear
        </Button>
      </header>
      <ul className="divide-y divide-line overflow-y-auto">
        {uploads.toReversed().map(upload => (
          <UploadLine key={upload.id} upload={upload} onOpen={onOpen} {...handling} />
        ))}
      </ul>
    </section>
  );
}

type UploadLineProps = UploadHandling & { upload: Upload; onOpen: (file: string) => void };

function UploadLine({ upload, onOpen, onRetry, onForget }: UploadLineProps) {
  const { id, file, state } = upload;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1.5 py-2 pr-2 pl-4 text-sm">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate" title={file.name}>
          {state.kind === 'kept' ? (
            <button
              type="button"
              onClick={() => onOpen(state.file.id)}
              className="min-h-[24px] max-w-full truncate underline decoration-edge underline-offset-3"
            >
              {file.name}
            </button>
          ) : (
            file.name
          )}
        </span>
        <span className="font-mono text-[0.74rem] text-muted tabular-nums">
          {state.kind === 'sending' ? `${Math.floor(state.share * 100)} %` : formatBytes(file.size)}
        </span>
        {state.kind === 'kept' && <CopyButton text={state.file.url} label={`Copy the URL of ${file.name}`} />}
        {state.kind === 'failed' && (
          <Button look="quiet" size="icon" aria-label={`Try ${file.name} again`} onClick={() => onRetry(id)}>
            <Icon name="again" />
          </Button>
        )}
        {state.kind !== 'kept' && (
          <Button
            look="quiet"
            size="icon"
            aria-label={isOpen(state) ? `Stop ${file.name}` : `Forget ${file.name}`}
            onClick={() => onForget(id)}
          >
            <Icon name="cross" className="size-3" />
          </Button>
        )}
      </div>
      {state.kind === 'sending' && (
        <progress
          value={state.share}
          max={1}
          aria-label={`Upload of ${file.name}`}
          className="progress mr-2"
        />
      )}
      {state.kind === 'failed' && (
        <p role="alert" className="text-danger">
          {state.reason}
        </p>
      )}
    </li>
  );
}
