/** Shows uploads at the edge of every page, with progress, results and actions. Collapses to one line on pages that are not about files. */
import { useMatchRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { countThings, formatCount } from '../format/numbers.ts';
import { useRefreshAfterUploads } from '../queries/files.ts';
import { type UploadHandling, useUploads } from '../queries/uploads.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { isOpen, isOver, isWorthTrying, type Upload } from '../uploads/uploadStates.ts';
import { UploadedLinks } from './UploadedLinks.tsx';
import { UploadLine } from './UploadLine.tsx';
import { useUploadSpeed } from './uploadSpeed.ts';

export function UploadTray() {
  const { uploads, isPaused, isOnline, ...handling } = useUploads();
  const speed = useUploadSpeed(uploads);
  useRefreshAfterUploads(uploads);
  const isAmongFiles = Boolean(useMatchRoute()({ to: '/projects/$project/files' }));
  const [chosen, setUnfolded] = useState<boolean | null>(null);
  const isUnfolded = chosen ?? isAmongFiles;
  if (uploads.length === 0) return null;
  const open = uploads.filter(({ state }) => isOpen(state)).length;
  const told = describeAll(uploads, open, { isPaused, isOnline });
  return (
    <section
      aria-label="Uploads"
      className="fixed inset-x-3 bottom-3 z-10 flex max-h-[50dvh] flex-col overflow-hidden rounded-xl border border-line
        bg-panel shadow-float sm:left-auto sm:w-96"
    >
      <header className="flex items-center gap-1 py-1.5 pr-1.5 pl-4">
        <h2 className={`text-sm font-medium ${describeBad(uploads).length > 0 ? 'text-danger' : ''}`}>
          <span role="status">{told}</span>
        </h2>
        {speed !== null && !isPaused && isOnline && (
          <span className="ml-2 font-mono text-[0.74rem] text-muted tabular-nums">{speed}</span>
        )}
        <Button
          look="quiet"
          size="icon"
          className="ml-auto"
          aria-label="Each upload"
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          <Icon name={isUnfolded ? 'down' : 'up'} />
        </Button>
        {(open > 0 || isPaused) && <PauseButton isPaused={isPaused} onPause={handling.onPause} />}
        <ClearButton isOff={!uploads.some(({ state }) => isOver(state))} onClear={handling.onClear} />
      </header>
      <RetryAll uploads={uploads} onRetryAll={handling.onRetryAll} />
      <Skipped uploads={uploads} onSendAnyway={handling.onSendAnyway} />
      {isUnfolded && open === 0 && <UploadedLinks uploads={uploads} />}
      {isUnfolded && (
        <ul className="min-h-0 divide-y border-t border-line divide-line overflow-y-auto">
          {pickShown(uploads).map(upload => (
            <UploadLine key={upload.id} upload={upload} {...handling} />
          ))}
          {uploads.length > linesMax && (
            <li className="px-4 py-2 text-sm text-muted">
              and {countThings(uploads.length - linesMax, 'more file')}
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function ClearButton({ isOff, onClear }: { isOff: boolean; onClear: () => void }) {
  return (
    <Button look="quiet" size="small" disabled={isOff} onClick={onClear}>
      Clear
    </Button>
  );
}

type RetryAllProps = Pick<UploadHandling, 'onRetryAll'> & { uploads: readonly Upload[] };

/** Shown if one cause, such as an ended session, stopped several uploads. */
function RetryAll({ uploads, onRetryAll }: RetryAllProps) {
  const failed = uploads.filter(({ state }) => isWorthTrying(state)).length;
  if (failed < 2) return null;
  return (
    <div className="flex items-center justify-between gap-3 border-t border-line py-1.5 pr-2 pl-4 text-sm">
      <span>{countThings(failed, 'upload')} failed</span>
      <Button size="small" onClick={onRetryAll}>
        Try all again
      </Button>
    </div>
  );
}

type SkippedProps = Pick<UploadHandling, 'onSendAnyway'> & { uploads: readonly Upload[] };

function Skipped({ uploads, onSendAnyway }: SkippedProps) {
  const skipped = countKind(uploads, 'skipped');
  if (skipped === 0) return null;
  const all = countThings(uploads.length, 'file');
  return (
    <div className="flex items-center justify-between gap-3 border-t border-line py-1.5 pr-2 pl-4 text-sm">
      <span>
        {formatCount(skipped)} of {all} {skipped === 1 ? 'was' : 'were'} already here, skipped
      </span>
      <Button size="small" className="shrink-0" onClick={() => onSendAnyway(null)}>
        Upload anyway
      </Button>
    </div>
  );
}

type PauseButtonProps = Pick<UploadHandling, 'onPause'> & { isPaused: boolean };

function PauseButton({ isPaused, onPause }: PauseButtonProps) {
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={isPaused ? 'Resume uploads' : 'Pause uploads'}
      title={isPaused ? 'Resume' : 'Pause'}
      onClick={() => onPause(!isPaused)}
    >
      <Icon name={isPaused ? 'play' : 'pause'} />
    </Button>
  );
}

const linesMax = 100; // no user reads thousands of rows

/** States that need nothing from the user. */
const calmStates: ReadonlySet<Upload['state']['kind']> = new Set(['kept', 'checking', 'waiting', 'skipped']);

/** Failed and running uploads first, then the newest. */
function pickShown(uploads: readonly Upload[]): readonly Upload[] {
  const newestFirst = uploads.toReversed();
  if (uploads.length <= linesMax) return newestFirst;
  const isCalm = ({ state }: Upload) => calmStates.has(state.kind);
  return [...newestFirst.filter(each => !isCalm(each)), ...newestFirst.filter(isCalm)].slice(0, linesMax);
}

/** `2 files uploaded, 1 refused`; `3 files were refused`, if that is all. */
function describeAll(uploads: readonly Upload[], open: number, held: Held): string {
  const { failed, refused } = countBad(uploads);
  const bad = describeBad(uploads);
  if (failed + refused < uploads.length) return [describeUploads(uploads, open, held), ...bad].join(', ');
  if (refused === 0) return `${countThings(failed, 'file')} failed`;
  const sentence = `${countThings(refused, 'file')} ${refused === 1 ? 'was' : 'were'} refused`;
  return [sentence, ...bad.slice(1)].join(', ');
}

function countBad(uploads: readonly Upload[]): { failed: number; refused: number } {
  const failed = uploads.filter(({ state }) => isWorthTrying(state)).length;
  return { failed, refused: countKind(uploads, 'refused') + countKind(uploads, 'failed') - failed };
}

function describeBad(uploads: readonly Upload[]): string[] {
  const { failed, refused } = countBad(uploads);
  return [
    ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
  ];
}

function countKind(uploads: readonly Upload[], kind: Upload['state']['kind']): number {
  return uploads.filter(({ state }) => state.kind === kind).length;
}

type Held = { isPaused: boolean; isOnline: boolean };

function describeUploads(uploads: readonly Upload[], open: number, { isPaused, isOnline }: Held): string {
  if (open > 0 && !isOnline) return `${countThings(open, 'upload')} waiting for the connection`;
  if (open > 0 && isPaused) return `${countThings(open, 'upload')} paused`;
  if (open > 0 && countKind(uploads, 'checking') === open) return `Checking ${countThings(open, 'file')}`;
  if (open > 0) return `Uploading ${countThings(open, 'file')}`;
  const kept = countKind(uploads, 'kept');
  const interrupted = countKind(uploads, 'interrupted');
  const skipped = countKind(uploads, 'skipped');
  if (kept === 0 && skipped > 0) return `${countThings(skipped, 'file')} skipped`;
  if (interrupted === 0) return `${countThings(kept, 'file')} uploaded`;
  return `${countThings(interrupted, 'upload')} interrupted`;
}
