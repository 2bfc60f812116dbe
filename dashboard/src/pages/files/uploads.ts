/** Uploads under way: a few at a time, each telling how far it is; what failed can be tried again. */
import { addressOf } from '@tapedeck/client';
import { useEffect, useReducer, useRef } from 'react';
import type { FileRecord } from '../../queries/files.ts';

export type UploadState =
  | { kind: 'waiting' }
  | { kind: 'sending'; share: number }
  | { kind: 'kept'; file: FileRecord }
  | { kind: 'failed'; reason: string };

export type Upload = { id: number; file: File; folder: string; state: UploadState };

export type UploadHandling = {
  onRetry: (id: number) => void;
  /** Stops it if it is under way. */
  onForget: (id: number) => void;
  onClear: () => void;
};

const atOnceMax = 3; // more gain nothing on one line

type Event =
  | { type: 'added'; uploads: Upload[] }
  | { type: 'state'; id: number; state: UploadState }
  | { type: 'forgotten'; id: number }
  | { type: 'cleared' };

function follow(uploads: readonly Upload[], event: Event): readonly Upload[] {
  if (event.type === 'added') return [...uploads, ...event.uploads];
  if (event.type === 'forgotten') return uploads.filter(({ id }) => id !== event.id);
  if (event.type === 'cleared') return uploads.filter(({ state }) => isOpen(state));
  return uploads.map(upload => (upload.id === event.id ? { ...upload, state: event.state } : upload));
}

export function isOpen({ kind }: UploadState): boolean {
  return kind === 'waiting' || kind === 'sending';
}

let uploadCount = 0;

export function useUploads({ project, onKept }: { project: string; onKept: () => void }) {
  const [uploads, dispatch] = useReducer(follow, []);
  const running = useRef(new Map<number, () => void>());
  const latest = useRef(onKept);
  latest.current = onKept;
  useEffect(() => {
    for (const upload of uploads) {
      if (running.current.size >= atOnceMax) break;
      if (upload.state.kind !== 'waiting' || running.current.has(upload.id)) continue;
      const note = (state: UploadState) => {
        if (!isOpen(state)) running.current.delete(upload.id);
        dispatch({ type: 'state', id: upload.id, state });
        if (state.kind === 'kept') latest.current();
      };
      running.current.set(
        upload.id,
        send(addressOf('uploadProjectFile', { params: { project } }), upload, note),
      );
    }
  }, [uploads, project]);
  useWarning(uploads.some(({ state }) => isOpen(state)));
  const add = (files: readonly File[], folder: string) => {
    const made = files.map(file => ({
      id: ++uploadCount,
      file,
      folder,
      state: { kind: 'waiting' } as const,
    }));
    dispatch({ type: 'added', uploads: made });
  };
  const handling: UploadHandling = {
    onRetry: id => dispatch({ type: 'state', id, state: { kind: 'waiting' } }),
    onForget: id => {
      running.current.get(id)?.();
      running.current.delete(id);
      dispatch({ type: 'forgotten', id });
    },
    onClear: () => dispatch({ type: 'cleared' }),
  };
  return { uploads, add, ...handling };
}

/** The browser asks before the page is left in the middle of an upload. */
function useWarning(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isBusy]);
}

/** Answers how to stop it. `fetch` does not tell how far a request is. */
function send(address: string, { file, folder }: Upload, note: (state: UploadState) => void): () => void {
  const form = new FormData();
  if (folder !== '') form.set('path', folder);
  form.set('file', file, file.name);
  const request = new XMLHttpRequest();
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) =>
    note({ kind: 'sending', share: total > 0 ? loaded / total : 0 });
  request.onload = () => note(readOutcome(request));
  request.onerror = () => note({ kind: 'failed', reason: 'The connection broke off.' });
  request.open('POST', address);
  note({ kind: 'sending', share: 0 });
  request.send(form);
  return () => request.abort();
}

function readOutcome({ status, response }: XMLHttpRequest): UploadState {
  // The contract's shapes of success and error; a proxy in between may answer neither.
  const answer = response as { data?: FileRecord; error?: string } | null;
  if (status === 200 && answer?.data) return { kind: 'kept', file: answer.data };
  return { kind: 'failed', reason: answer?.error ?? `The service answered ${status}.` };
}
