/**
 * Uploads under way: a few at a time, each telling how far it is; what failed can be tried again. They go on while other
 * pages are looked at, so they are kept here and not in a page.
 */
import { addressOf } from '@tapedeck/client';
import { useSyncExternalStore } from 'react';
import { formatBinary } from '../format/sizes.ts';
import {
  endAllInterrupted,
  endInterrupted,
  isSameFile,
  listInterrupted,
  recallInterrupted,
  type SentFile,
} from '../uploads/interrupted.ts';
import { checkSignature } from '../uploads/mediaSignatures.ts';
import type { FileRecord } from './fileRecords.ts';

type UploadState =
  | { kind: 'waiting' }
  | { kind: 'sending'; share: number }
  | { kind: 'kept'; file: FileRecord }
  /** `isRefused`: by the service, for what the file is. */
  | { kind: 'failed'; reason: string; isRefused?: boolean }
  /** Not sent: to try again would change nothing. */
  | { kind: 'refused'; reason: string }
  /** Interrupted by a reload of the page, which forgot the file: it has to be chosen again. */
  | { kind: 'interrupted'; share: number; place: string; reason: string };

export type Upload = {
  id: number;
  project: string;
  folder: string;
  name: string;
  size: number;
  lastModified: number;
  /** null while it is interrupted. */
  file: File | null;
  state: UploadState;
};

export type UploadHandling = {
  onRetry: (id: number) => void;
  /** All that failed. */
  onRetryAll: () => void;
  /** Stops it if it is under way. */
  onForget: (id: number) => void;
  onClear: () => void;
  /** Resumes an interrupted upload with its file. */
  onResume: (id: number, file: File) => void;
  /** All of them, until they are let go on. */
  onPause: (isPaused: boolean) => void;
};

const atOnceMax = 3; // more gain nothing on one line

const wholeBytesMax = 8 * 1024 * 1024; // larger files are sent in pieces, and go on where they broke off

/** To sign in here would leave the page, which holds the files. */
const signedOut = 'Your session has ended. Sign in again in another tab, then try again.';

/** The file itself is wrong. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422]);

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

/** Whether new uploads wait, because the user paused them or there is no network. */
function isHeld(): boolean {
  return isPaused || !navigator.onLine;
}

window.addEventListener('online', () => change([...uploads]));
window.addEventListener('offline', () => change([...uploads]));

export function isOpen({ kind }: UploadState): boolean {
  return kind === 'waiting' || kind === 'sending';
}

/** It failed for a cause that may be gone by now. */
export function isWorthTrying(state: UploadState): boolean {
  return state.kind === 'failed' && state.isRefused !== true;
}

/** Nothing more comes of it by itself or by hand, but a new attempt. */
export function isOver(state: UploadState): boolean {
  return !isOpen(state) && state.kind !== 'interrupted';
}

/** Uploads of all projects, with their actions. */
export function useUploads(): UploadHandling & {
  uploads: readonly Upload[];
  isPaused: boolean;
  isOnline: boolean;
} {
  const all = useSyncExternalStore(listen, () => uploads);
  return { uploads: all, isPaused, isOnline: navigator.onLine, ...handling };
}

type UploadPlace = { project: string; folder: string; fileSizeBytesMax: number };

/** Continues interrupted or failed uploads when their file is added again. */
export function addUploads(files: readonly File[], { project, folder, fileSizeBytesMax }: UploadPlace): void {
  const isKnown = (file: File) => {
    const before = uploads
      .filter(isUnfinished)
      .find(each => each.project === project && each.folder === folder && isSameFile(each, file));
    if (before && !isOpen(before.state)) resumeUpload(before.id, file);
    return before !== undefined;
  };
  const made = files
    .filter(file => file.size <= wholeBytesMax || !isKnown(file))
    .map(file => {
      const { name, size, lastModified } = file;
      const state = judgeSize(file, fileSizeBytesMax);
      return { id: ++uploadCount, project, folder, name, size, lastModified, file, state };
    });
  change([...uploads, ...made]);
}

/** Part of it may be at the service. */
function isUnfinished({ state }: Upload): boolean {
  return state.kind !== 'kept' && state.kind !== 'refused';
}

function resumeUpload(id: number, file: File): void {
  change(uploads.map(each => (each.id === id ? { ...each, file, state: { kind: 'waiting' } } : each)));
}

/** Refuses files that the service would refuse for their size, without sending them. */
function judgeSize({ size }: File, bytesMax: number): UploadState {
  if (size <= bytesMax) return { kind: 'waiting' };
  const reason = `This file is ${formatBinary(size)}. The limit is ${formatBinary(bytesMax)}.`;
  return { kind: 'refused', reason };
}

/** Files that are gone are linked no more. */
export function forgetFiles(files: readonly string[]): void {
  change(uploads.filter(({ state }) => state.kind !== 'kept' || !files.includes(state.file.id)));
}

const handling: UploadHandling = {
  onRetry: id => note(id, { kind: 'waiting' }),
  onRetryAll: () =>
    change(uploads.map(each => (isWorthTrying(each.state) ? { ...each, state: { kind: 'waiting' } } : each))),
  onForget: id => leave(uploads.filter(upload => upload.id === id)),
  onClear: () => leave(uploads.filter(({ state }) => isOver(state))),
  onResume: (id, file) => {
    const upload = uploads.find(each => each.id === id);
    if (upload?.state.kind !== 'interrupted') return;
    const reason = `This is a different file. Choose ${upload.name} again.`;
    if (!isSameFile(upload, file)) return note(id, { ...upload.state, reason });
    resumeUpload(id, file);
  },
  onPause: wanted => {
    isPaused = wanted;
    if (!wanted) return change([...uploads]);
    const stops = [...running.values()];
    running.clear();
    // What is kept of a large one stays at the service, and goes on from there.
    change(
      uploads.map(each => (each.state.kind === 'sending' ? { ...each, state: { kind: 'waiting' } } : each)),
    );
    for (const stop of stops) stop();
  },
};

/** Removes uploads, including their bytes at the service. */
function leave(left: readonly Upload[]): void {
  for (const upload of left) {
    running.get(upload.id)?.();
    running.delete(upload.id);
    const place = isUnfinished(upload) && recallInterrupted(upload)?.place;
    if (place) endInterrupted(place);
  }
  change(uploads.filter(upload => !left.includes(upload)));
}

function note(id: number, state: UploadState): void {
  if (!isOpen(state)) running.delete(id);
  change(uploads.map(upload => (upload.id === id ? { ...upload, state } : upload)));
}

/** Shows what is new, and begins what has waited long enough. */
function change(next: readonly Upload[]): void {
  uploads = next;
  for (const upload of uploads) {
    if (running.size >= atOnceMax || isHeld()) break;
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
  isPaused = false;
  change([]);
  for (const stop of stops) stop();
  endAllInterrupted();
}

/** The browser asks before it leaves in the middle of an upload. */
function warnOfLeaving(isBusy: boolean): void {
  window.removeEventListener('beforeunload', askToStay);
  if (isBusy) window.addEventListener('beforeunload', askToStay);
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function begin(upload: Upload): void {
  const { id, file } = upload;
  if (file === null) return;
  const leaving = new AbortController();
  running.set(id, () => leaving.abort());
  uploads = uploads.map(each => (each.id === id ? { ...each, state: { kind: 'sending', share: 0 } } : each));
  void send({ ...upload, file }, share => note(id, { kind: 'sending', share }), leaving.signal).then(
    state => {
      if (leaving.signal.aborted) return;
      // Without a network it waits for one.
      note(id, state.kind === 'failed' && !navigator.onLine ? { kind: 'waiting' } : state);
    },
  );
}

async function send(
  sent: SentFile,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadState> {
  const reason = await checkSignature(sent.file);
  // Nobody waits for what is stopped by now.
  if (signal.aborted) return { kind: 'waiting' };
  if (reason !== null) return { kind: 'refused', reason };
  if (sent.file.size <= wholeBytesMax) return await sendWhole(sent, onShare, signal);
  return await import('../uploads/tus.ts')
    .then(({ uploadResumable }) => uploadResumable(sent, onShare, signal))
    .then(
      file => ({ kind: 'kept', file }),
      error => ({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
    );
}

/** `fetch` does not tell how far a request is. */
function sendWhole(
  { project, folder, file }: SentFile,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadState> {
  const { promise, resolve } = Promise.withResolvers<UploadState>();
  const form = new FormData();
  if (folder !== '') form.set('path', folder);
  form.set('file', file, file.name);
  const request = new XMLHttpRequest();
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0);
  request.onload = () => resolve(readOutcome(request));
  request.onerror = () => resolve({ kind: 'failed', reason: 'Connection lost.' });
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.open('POST', addressOf('uploadProjectFile', { params: { project } }));
  request.send(form);
  return promise;
}

function readOutcome({ status, response }: XMLHttpRequest): UploadState {
  // The contract's shapes of success and error; a proxy in between may answer neither.
  const answer = response as { data?: FileRecord; error?: string } | null;
  if (status === 200 && answer?.data) return { kind: 'kept', file: answer.data };
  if (status === 401) return { kind: 'failed', reason: signedOut };
  const reason = answer?.error ?? `The service responded with status ${status}.`;
  return { kind: 'failed', reason, isRefused: refusals.has(status) };
}
