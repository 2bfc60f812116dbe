/** Sends a file whole, or in pieces where it is large, and says what became of it. */
import { addressOf } from '@tapedeck/client';
import type { FileRecord } from '../queries/fileRecords.ts';
import type { SentFile } from './interrupted.ts';
import { checkSignature } from './mediaSignatures.ts';
import type { UploadState } from './uploadStates.ts';

export const wholeBytesMax = 8 * 1024 * 1024; // larger files are sent in pieces, and go on where they broke off

/** To sign in here would leave the page, which holds the files. */
const signedOut = 'Your session has ended. Sign in again in another tab, then try again.';

/** The file itself is wrong. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Resolves once the upload is over, or is to wait again. */
export async function sendFile(
  sent: SentFile,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadState> {
  const reason = await checkSignature(sent.file);
  // Nobody waits for what is stopped by now.
  if (signal.aborted) return { kind: 'waiting' };
  if (reason !== null) return { kind: 'refused', reason };
  if (sent.file.size <= wholeBytesMax) return await sendWhole(sent, onShare, signal);
  return await import('./tus.ts')
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
