/**
 * Runs uploads, a few at a time, with progress and retries. They continue while the user opens other pages, so their state lives here and not in a
 * page.
 */
import { useSyncExternalStore } from 'react';
import { formatLimit } from '../format/sizes.ts';
import {
  endAllInterrupted,
  endInterrupted,
  isSameFile,
  listInterrupted,
  recallInterrupted,
  recallUploader,
  rememberUploader,
} from '../uploads/interrupted.ts';
import { sendFile, wholeBytesMax } from '../uploads/sending.ts';
import {
  isOpen,
  isOver,
  isUnfinished,
  isWorthTrying,
  type Upload,
  type UploadState,
} from '../uploads/uploadStates.ts';
import { connectUploads } from './uploader.ts';

export type UploadHandling = {
  onRetry: (id: number) => void;
  onRetryAll: () => void;
  /** Removes the upload; stops it if it is running. */
  onForget: (id: number) => void;
  onClear: () => void;
  onResume: (id: number, file: File) => void;
  /** Sends one skipped upload, or (null) all. */
  onSendAnyway: (id: number | null) => void;
  onPause: (isPaused: boolean) => void;
};

const atOnceMax = 3; // more gain nothing on one connection

let uploadCount = 0;
let uploads: readonly Upload[] = listInterrupted().map(({ sentBytes, place, ...kept }) => ({
  ...kept,
  id: ++uploadCount,
  file: null,
  state: { kind: 'interrupted', share: sentBytes / kept.size, place, reason: '' },
}));
const running = new Map<number, () => void>();
const changes = new EventTarget();
let isPaused = false;
/** True from the end of a session until the next one. */
let isSignedOut = false;

/** True while new uploads wait, because the user paused them, or there is no network or session. */
function isHeld(): boolean {
  return isPaused || isSignedOut || !navigator.onLine;
}

window.addEventListener('online', () => change([...uploads]));
window.addEventListener('offline', () => change([...uploads]));

/** Returns the uploads of all projects, with their actions. */
export function useUploads(): UploadHandling & {
  uploads: readonly Upload[];
  isPaused: boolean;
  isOnline: boolean;
} {
  const all = useSyncExternalStore(listen, () => uploads);
  return { uploads: all, isPaused, isOnline: navigator.onLine, ...handling };
}

type UploadPlace = { project: string; folder: string; fileSizeBytesMax: number };

/** Resumes interrupted or failed uploads when the user adds their file again. */
export function addUploads(files: readonly File[], { project, folder, fileSizeBytesMax }: UploadPlace): void {
  const unfinished = uploads.filter(
    each => isUnfinished(each.state) && each.project === project && each.folder === folder,
  );
  const isKnown = (file: File) => {
    const before = unfinished.find(each => isSameFile(each, file));
    if (before === undefined || isOpen(before.state)) return before !== undefined;
    // A small failed file becomes a new upload beside the failed one.
    if (file.size > wholeBytesMax) resumeUpload(before.id, file);
    return file.size > wholeBytesMax;
  };
  const made = files
    .filter(file => !isKnown(file))
    .map(file => {
      const { name, size, lastModified } = file;
      const state = checkSize(file, fileSizeBytesMax);
      return { id: ++uploadCount, project, folder, name, size, lastModified, file, state };
    });
  change([...uploads, ...made]);
}

function resumeUpload(id: number, file: File): void {
  change(uploads.map(each => (each.id === id ? { ...each, file, state: { kind: 'waiting' } } : each)));
}

/** Refuses files over the size limit without sending them. */
function checkSize({ size }: File, bytesMax: number): UploadState {
  if (size <= bytesMax) return { kind: 'checking' };
  const reason = `This file is too large. The limit is ${formatLimit(bytesMax)}.`;
  return { kind: 'refused', reason };
}

/** Removes uploads of deleted files, whose links would be dead. */
export function forgetFiles(files: readonly string[]): void {
  change(uploads.filter(({ state }) => state.kind !== 'kept' || !files.includes(state.file.id)));
}

const handling: UploadHandling = {
  // The service may have stored it, although the connection broke.
  onRetry: id => setState(id, { kind: 'checking' }),
  onRetryAll: () =>
    change(
      uploads.map(each => (isWorthTrying(each.state) ? { ...each, state: { kind: 'checking' } } : each)),
    ),
  onSendAnyway: id =>
    change(
      uploads.map(each =>
        each.state.kind === 'skipped' && (id ?? each.id) === each.id
          ? { ...each, state: { kind: 'waiting' } }
          : each,
      ),
    ),
  onForget: id => leave(uploads.filter(upload => upload.id === id)),
  onClear: () => leave(uploads.filter(({ state }) => isOver(state))),
  onResume: (id, file) => {
    const upload = uploads.find(each => each.id === id);
    if (upload?.state.kind !== 'interrupted') return;
    const reason = `This is a different file. Choose ${upload.name} again.`;
    if (!isSameFile(upload, file)) return setState(id, { ...upload.state, reason });
    resumeUpload(id, file);
  },
  onPause: wanted => {
    isPaused = wanted;
    if (wanted) stopSending();
    else change([...uploads]);
  },
};

/** Lets uploads wait. A large file's bytes stay on the service, and the upload resumes there. */
function stopSending(): void {
  const stops = [...running.values()];
  running.clear();
  change(
    uploads.map(each => (each.state.kind === 'sending' ? { ...each, state: { kind: 'waiting' } } : each)),
  );
  for (const stop of stops) stop();
}

/** Removes uploads, including their bytes on the service. */
function leave(left: readonly Upload[]): void {
  for (const upload of left) {
    running.get(upload.id)?.();
    running.delete(upload.id);
    const place = isUnfinished(upload.state) && recallInterrupted(upload)?.place;
    if (place) endInterrupted(place);
  }
  change(uploads.filter(upload => !left.includes(upload)));
}

function setState(id: number, state: UploadState): void {
  if (!isOpen(state)) running.delete(id);
  change(uploads.map(upload => (upload.id === id ? { ...upload, state } : upload)));
}

/** Updates the list, and starts waiting uploads if there is room. */
function change(next: readonly Upload[]): void {
  uploads = next;
  checkNew();
  for (const upload of uploads) {
    if (running.size >= atOnceMax || isHeld()) break;
    if (upload.state.kind === 'waiting' && !running.has(upload.id)) begin(upload);
  }
  warnOfLeaving(uploads.some(({ state }) => isOpen(state)));
  if (notifyTimer !== null) return;
  const waitMs = notifiedAt + notifyIntervalMs - performance.now();
  if (waitMs <= 0) notifyPages();
  else notifyTimer = setTimeout(notifyPages, waitMs);
}

const notifyIntervalMs = 100; // each of thousands of files changes several times
let notifiedAt = Number.NEGATIVE_INFINITY;
let notifyTimer: ReturnType<typeof setTimeout> | null = null;

function notifyPages(): void {
  notifyTimer = null;
  notifiedAt = performance.now();
  changes.dispatchEvent(new Event('change'));
}

let isChecking = false;

/** Asks the service which new files it has. On errors it just uploads them. */
function checkNew(): void {
  if (isChecking || isHeld()) return;
  const asked = uploads.flatMap(upload =>
    upload.state.kind === 'checking' && upload.file !== null ? [{ ...upload, file: upload.file }] : [],
  );
  if (asked.length === 0) return;
  isChecking = true;
  const isWanted = (id: number) => uploads.some(each => each.id === id && each.state.kind === 'checking');
  void import('../uploads/storedFiles.ts')
    .then(({ findStored }) => findStored(asked, { isWanted, onKnown: skipStored }))
    .catch(() => undefined)
    .finally(() => {
      isChecking = false;
      // Without a network it asks again later.
      if (navigator.onLine) skipStored(new Map(asked.map(({ id }) => [id, null])));
      else change([...uploads]);
    });
}

/** `found`: the stored file's id of each upload; null if none. */
function skipStored(found: ReadonlyMap<number, string | null>): void {
  change(
    uploads.map(upload => {
      const fileId = found.get(upload.id);
      if (fileId === undefined || upload.state.kind !== 'checking') return upload;
      return { ...upload, state: fileId === null ? { kind: 'waiting' } : { kind: 'skipped', fileId } };
    }),
  );
}

function listen(onChange: () => void): () => void {
  changes.addEventListener('change', onChange);
  return () => changes.removeEventListener('change', onChange);
}

/** The page's next user must not see them. */
function forget(): void {
  const stops = [...running.values()];
  running.clear();
  isPaused = false;
  change([]);
  for (const stop of stops) stop();
  endAllInterrupted();
}

function hold(): void {
  isSignedOut = true;
  stopSending();
}

function admit(user: string): void {
  if (recallUploader() !== user) forget();
  rememberUploader(user);
  if (!isSignedOut) return;
  isSignedOut = false;
  handling.onRetryAll();
}

/** Makes the browser ask before leaving during an upload. */
function warnOfLeaving(isBusy: boolean): void {
  window.removeEventListener('beforeunload', warnBeforeLeaving);
  if (isBusy) window.addEventListener('beforeunload', warnBeforeLeaving);
}

function warnBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function begin(upload: Upload): void {
  const { id, file } = upload;
  if (file === null) return;
  const leaving = new AbortController();
  running.set(id, () => leaving.abort());
  uploads = uploads.map(each => (each.id === id ? { ...each, state: { kind: 'sending', share: 0 } } : each));
  void sendFile({ ...upload, file }, share => setState(id, { kind: 'sending', share }), leaving.signal).then(
    state => {
      if (leaving.signal.aborted) return;
      // Without a network, the upload waits for one.
      setState(id, state.kind === 'failed' && !navigator.onLine ? { kind: 'waiting' } : state);
    },
  );
}

connectUploads({ hold, forget, admit });
