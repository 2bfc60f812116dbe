/** Sends a file, large ones in chunks, and reports the outcome. */
import { addressOf } from '@tapedeck/client';
import type { FileRecord } from '../queries/fileRecords.ts';
import type { SentFile } from './interrupted.ts';
import { checkSignature } from './mediaSignatures.ts';
import type { UploadState } from './uploadStates.ts';

export const wholeBytesMax = 8 * 1024 * 1024; // larger files are sent in chunks and can resume

const signedOut = 'Your session has ended. Sign in again to continue the upload.';

/** Errors of the file itself. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Resolves once the upload ends or has to wait again. */
export async function sendFile(
  sent: SentFile,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadState> {
  const reason = await checkSignature(sent.file);
  // The user stopped it meanwhile.
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

/** Uses XMLHttpRequest, because `fetch` reports no upload progress. */
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
  // The contract's success and error shapes; a proxy may send neither.
  const answer = response as { data?: FileRecord; error?: string } | null;
  if (status === 200 && answer?.data) return { kind: 'kept', file: answer.data };
  if (status === 401) return { kind: 'failed', reason: signedOut };
  const reason = answer?.error ?? `The service responded with status ${status}.`;
  return { kind: 'failed', reason, isRefused: refusals.has(status) };
}
