/** Sends a large file chunk by chunk over tus 1.0.0, and resumes after a break. */
import { limits, rest } from '@tapedeck/client';
import { api } from '../api.ts';
import type { FileRecord } from '../queries/fileRecords.ts';
import {
  endInterrupted,
  forgetInterrupted,
  recallInterrupted,
  rememberInterrupted,
  type SentFile,
  tusProtocol,
} from './interrupted.ts';

const pieceBytes = 8 * 1024 * 1024; // the most to send again after a break
const trialsMax = 6; // retries without progress; a minute in all
const urlLifeSeconds = 2 * 86_400; // the service drops uploads that are idle for a day

/** A retry would change nothing. */
class Refusal extends Error {}
/** The service no longer knows the upload. */
class Gone extends Error {}

/** Aborting also ends the upload at the service. */
export async function uploadResumable(
  sent: SentFile,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<FileRecord> {
  try {
    return await send(sent, onShare, signal);
  } catch (error) {
    if (error instanceof TypeError) throw new Error('Connection lost.', { cause: error });
    if (isFinal(error)) forgetInterrupted(recallInterrupted(sent)?.place ?? '');
    // The service may have dropped an upload that began long ago, so this starts over.
    if (!(error instanceof Gone) || signal.aborted) throw error;
    return await send(sent, onShare, signal);
  }
}

async function send(
  sent: SentFile,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<FileRecord> {
  const { project, file } = sent;
  const known = recallInterrupted(sent)?.place;
  let offset = known === undefined ? 0 : await readOffset(known, signal);
  const place = known ?? (await begin(sent, signal));
  if (signal.aborted) endInterrupted(place); // no other code knows of it yet
  for (let trials = 0; offset < file.size; ) {
    signal.throwIfAborted();
    rememberInterrupted(sent, place, offset);
    onShare(offset / file.size);
    const piece = file.slice(offset, offset + pieceBytes);
    const onBytes = (bytes: number) => onShare((offset + bytes) / file.size);
    try {
      offset = await sendPiece({ place, offset, piece, onBytes }, signal);
      trials = 0;
    } catch (error) {
      if (signal.aborted || isFinal(error) || ++trials >= trialsMax) throw error;
      await rest(1000 * 2 ** (trials - 1), signal);
      // The service may have kept part of the chunk.
      offset = await readOffset(place, signal).catch(problem => {
        if (isFinal(problem)) throw problem;
        return offset;
      });
    }
  }
  const answer = await fetch(`${place}/result`, { headers: tusProtocol, signal });
  const { data } = await readJson<{ data: { id: string } }>(answer);
  forgetInterrupted(place);
  return (await api.getProjectFile({ params: { project, file: data.id } }, { signal })).data;
}

/** Creates an upload URL for this one file, because these routes do not know the user's session. */
async function begin({ project, folder, file }: SentFile, signal: AbortSignal): Promise<string> {
  const query = {
    uses: 1,
    expiresAt: Math.floor(Date.now() / 1000) + urlLifeSeconds,
    path: folder || undefined,
    filename: file.name.slice(0, limits.nameCharactersMax),
  };
  const { data } = await api.createProjectPresignedUrl({ params: { project }, query }, { signal });
  const headers = {
    ...tusProtocol,
    'Upload-Length': String(file.size),
    'Upload-Metadata': `filename ${toBase64(file.name)}`,
  };
  const address = `${new URL(data.presignedUrl).pathname}/resumable`;
  // Not aborted halfway, because the upload would stay at the service.
  const answer = await fetch(address, { method: 'POST', headers });
  if (answer.status !== 201) await readJson(answer);
  return new URL(answer.headers.get('Location') ?? '', window.location.href).pathname;
}

async function readOffset(place: string, signal: AbortSignal): Promise<number> {
  const answer = await fetch(place, { method: 'HEAD', headers: tusProtocol, signal });
  requireKnown(answer.status);
  const offset = Number(answer.headers.get('Upload-Offset') ?? Number.NaN);
  if (!answer.ok || Number.isNaN(offset))
    throw new Error(`The service responded with status ${answer.status}.`);
  return offset;
}

type Piece = { place: string; offset: number; piece: Blob; onBytes: (bytes: number) => void };

/** Resolves to the new offset. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
function sendPiece({ place, offset, piece, onBytes }: Piece, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = new XMLHttpRequest();
  const stop = () => request.abort();
  request.upload.onprogress = ({ loaded }) => onBytes(loaded);
  request.onload = () => {
    try {
      resolve(readKept(request));
    } catch (error) {
      reject(error);
    }
  };
  request.onerror = () => reject(new Error('Connection lost.'));
  request.onabort = () => reject(new Error('Stopped.'));
  request.onloadend = () => signal.removeEventListener('abort', stop);
  request.open('PATCH', place);
  for (const [name, value] of Object.entries(tusProtocol)) request.setRequestHeader(name, value);
  request.setRequestHeader('Upload-Offset', String(offset));
  request.setRequestHeader('Content-Type', 'application/offset+octet-stream');
  signal.addEventListener('abort', stop, { once: true });
  request.send(piece);
  return promise;
}

function readKept(request: XMLHttpRequest): number {
  const { status, responseText } = request;
  if (status === 204) return Number(request.getResponseHeader('Upload-Offset'));
  requireKnown(status);
  throw failureOf(status, responseText);
}

function requireKnown(status: number): void {
  if (status === 404 || status === 410) throw new Gone('The upload took too long. Try again.');
}

/** Errors of the file are final; temporary ones may pass. */
function failureOf(status: number, text: string): Error {
  const sentence = readSentence(text) ?? `The service responded with status ${status}.`;
  const passes = status === 409 || status === 423 || status === 429 || status === 460 || status === 408;
  const isRefused = (status >= 400 && status < 500 && !passes) || status === 507;
  return isRefused ? new Refusal(sentence) : new Error(sentence);
}

function readSentence(text: string): string | null {
  try {
    const answer: unknown = JSON.parse(text);
    const isError = typeof answer === 'object' && answer !== null && 'error' in answer;
    return isError && typeof answer.error === 'string' ? answer.error : null;
  } catch {
    return null; // a proxy may answer anything
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Refusal || error instanceof Gone;
}

async function readJson<Body>(answer: Response): Promise<Body> {
  const text = await answer.text();
  if (!answer.ok) throw failureOf(answer.status, text);
  // The contract's success shape.
  return JSON.parse(text) as Body;
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
