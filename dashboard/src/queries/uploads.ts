/**
 * Uploads under way: a few at a time, each telling how far it is; what failed can be tried again. They go on while other
 * pages are looked at, so they are kept here and not in a page.
 */
import { addressOf } from '@tapedeck/client';
import { useSyncExternalStore } from 'react';
import { formatBytes } from '../text/sizes.ts';
import type { FileRecord } from './fileRecords.ts';

type UploadState =
  | { kind: 'waiting' }
  | { kind: 'sending'; share: number }
  | { kind: 'kept'; file: FileRecord }
  | { kind: 'failed'; reason: string }
  /** Not sent: to try again would change nothing. */
  | { kind: 'refused'; reason: string };

export type Upload = { id: number; project: string; file: File; folder: string; state: UploadState };

export type UploadHandling = {
  onRetry: (id: number) => void;
  /** Stops it if it is under way. */
  onForget: (id: number) => void;
  onClear: () => void;
};

const atOnceMax = 3; // more gain nothing on one line

let uploads: readonly Upload[] = [];
let uploadCount = 0;
const running = new Map<number, () => void>();
const changes = new EventTarget();

export function isOpen({ kind }: UploadState): boolean {
  return kind === 'waiting' || kind === 'sending';
}

/** Those of all projects, and what can be done about them. */
export function useUploads(): UploadHandling & { uploads: readonly Upload[] } {
  const all = useSyncExternalStore(listen, () => uploads);
  return { uploads: all, ...handling };
}

type UploadPlace = { project: string; folder: string; fileSizeBytesMax: number };

export function addUploads(files: readonly File[], { project, folder, fileSizeBytesMax }: UploadPlace): void {
  const made = files.map(file => ({
    id: ++uploadCount,
    project,
    file,
    folder,
    state: judgeSize(file, fileSizeBytesMax),
  }));
  change([...uploads, ...made]);
}

/** What the service would refuse once it had come is not sent. */
function judgeSize({ size }: File, bytesMax: number): UploadState {
  if (size <= bytesMax) return { kind: 'waiting' };
  const reason = `This file has ${formatBytes(size)}; the service takes ${formatBytes(bytesMax)} at most.`;
  return { kind: 'refused', reason };
}

/** Files that are gone are linked no more. */
export function forgetFiles(files: readonly string[]): void {
  change(uploads.filter(({ state }) => state.kind !== 'kept' || !files.includes(state.file.id)));
}

const handling: UploadHandling = {
  onRetry: id => note(id, { kind: 'waiting' }),
  onForget: id => {
    running.get(id)?.();
    running.delete(id);
    change(uploads.filter(upload => upload.id !== id));
  },
  onClear: () => change(uploads.filter(({ state }) => isOpen(state))),
};

function note(id: number, state: UploadState): void {
  if (!isOpen(state)) running.delete(id);
  change(uploads.map(upload => (upload.id === id ? { ...upload, state } : upload)));
}

/** Shows what is new, and begins what has waited long enough. */
function change(next: readonly Upload[]): void {
  uploads = next;
  for (const upload of uploads) {
    if (running.size >= atOnceMax) break;
    if (upload.state.kind === 'waiting' && !running.has(upload.id)) begin(upload);
  }
  warnOfLeaving(uploads.some(({ state }) => isOpen(state)));
  changes.dispatchEvent(new Event('change'));
}

function listen(onChange: () => void): () => void {
  changes.addEventListener('change', onChange);
  return () => changes.removeEventListener('change', onChange);
}

/** Ends those that are sent and forgets all: the next user of the page has no part in them. */
export function forgetUploads(): void {
  const stops = [...running.values()];
  running.clear();
  change([]);
  for (const stop of stops) stop();
}

/** The browser asks before it leaves in the middle of an upload. */
function warnOfLeaving(isBusy: boolean): void {
  window.removeEventListener('beforeunload', askToStay);
  if (isBusy) window.addEventListener('beforeunload', askToStay);
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** `fetch` does not tell how far a request is. */
function begin({ id, project, file, folder }: Upload): void {
  const form = new FormData();
  if (folder !== '') form.set('path', folder);
  form.set('file', file, file.name);
  const request = new XMLHttpRequest();
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) =>
    note(id, { kind: 'sending', share: total > 0 ? loaded / total : 0 });
  request.onload = () => note(id, readOutcome(request));
  request.onerror = () => note(id, { kind: 'failed', reason: 'The connection broke off.' });
  request.open('POST', addressOf('uploadProjectFile', { params: { project } }));
  running.set(id, () => request.abort());
  uploads = uploads.map(upload =>
    upload.id === id ? { ...upload, state: { kind: 'sending', share: 0 } } : upload,
  );
  request.send(form);
}

function readOutcome({ status, response }: XMLHttpRequest): UploadState {
  // The contract's shapes of success and error; a proxy in between may answer neither.
  const answer = response as { data?: FileRecord; error?: string } | null;
  if (status === 200 && answer?.data) return { kind: 'kept', file: answer.data };
  return { kind: 'failed', reason: answer?.error ?? `The service answered ${status}.` };
}
