/** Uploads a file in chunks over tus 1.0.0. After a failure it asks the service for the offset and resumes there. */
import { readError, TapedeckError } from '../../errors.ts';
import type { Connection } from '../connection.ts';
import { attempt, isPassing, persist, requireRunning } from '../retries.ts';
import { type Content, unreadableError } from './content.ts';
import type { UploadedFile, UploadOptions } from './uploadOptions.ts';

const pieceBytes = 16 * 1024 * 1024; // smaller chunks are slow if the service stores files in S3
const protocol = { 'Tus-Resumable': '1.0.0' };
/** Another request for the same upload is ending, or the offset moved. A retry settles it. */
const unsettledStatuses: ReadonlySet<number> = new Set([409, 423]);

export async function sendInPieces(
  connection: Connection,
  content: Content,
  options: UploadOptions,
): Promise<UploadedFile> {
  const { signal } = options;
  const place = await begin(connection, content, options);
  try {
    await sendPieces(connection, { place, content }, options);
    const response = await sendRepeatable(connection, `${place}/result`, { signal });
    // The contract's upload result.
    const { data } = (await response.json()) as { data: UploadedFile };
    return data;
  } catch (error) {
    if (signal?.aborted) {
      const headers = { ...protocol, Authorization: connection.token };
      void fetch(place, { method: 'DELETE', headers }).catch(() => undefined); // otherwise the service deletes it within a day
    }
    requireRunning(signal);
    throw error;
  }
}

async function begin(connection: Connection, content: Content, options: UploadOptions): Promise<string> {
  const { signal } = options;
  const length: Record<string, string> =
    content.sizeBytes === null
      ? { 'Upload-Defer-Length': '1' }
      : { 'Upload-Length': String(content.sizeBytes) };
  const headers = { ...protocol, ...length, 'Upload-Metadata': writeMetadata(content, options) };
  const address = `${connection.url}/api/v3/file/resumable`;
  const response = await sendRepeatable(connection, address, { method: 'POST', headers, signal });
  const id = response.headers.get('Location')?.split('/').at(-1);
  if (!id)
    throw new TapedeckError({ status: response.status, code: 'unreadable_answer' }, 'No Location came.');
  return `${address}/${id}`;
}

async function sendPieces(
  connection: Connection,
  { place, content }: { place: string; content: Content },
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  let offset = 0;
  let isUncertain = false;
  for (let isEnd = false; !isEnd; ) {
    const piece = await content.read(offset, pieceBytes);
    const total = piece.isEnd ? offset + piece.bytes.length : content.sizeBytes;
    if (piece.isEnd && content.sizeBytes !== null && total !== content.sizeBytes)
      throw unreadableError('The file changed while it was uploaded; upload it again.');
    onProgress?.({ loaded: offset, total });
    const send = async (): Promise<number> => {
      if (isUncertain) {
        const kept = await readOffset(connection, place, signal);
        isUncertain = false;
        if (kept !== offset) return kept;
      }
      isUncertain = true;
      const headers: Record<string, string> = {
        ...protocol,
        Authorization: connection.token,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(offset),
      };
      if (piece.isEnd && content.sizeBytes === null) headers['Upload-Length'] = String(total);
      const init = { method: 'PATCH', headers, body: piece.bytes, ...(signal && { signal }) };
      const response = await attempt(place, init, connection.requestTimeoutMs);
      if (!response.ok) throw await readError(response);
      isUncertain = false;
      return Number(response.headers.get('Upload-Offset'));
    };
    const mayRepeat = (error: TapedeckError) => isPassing(error) || unsettledStatuses.has(error.status);
    const { retryForMs } = connection;
    const sentEnd = offset + piece.bytes.length;
    offset = await persist(send, { retryForMs, signal }, mayRepeat);
    isEnd = piece.isEnd && offset === sentEnd;
    onProgress?.({ loaded: offset, total });
  }
}

async function readOffset(
  connection: Connection,
  place: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const headers = { ...protocol, Authorization: connection.token };
  const init = { method: 'HEAD', headers, ...(signal && { signal }) };
  const response = await attempt(place, init, connection.requestTimeoutMs);
  if (!response.ok) throw await readError(response);
  return Number(response.headers.get('Upload-Offset'));
}

/** Sends a request that is safe to repeat. */
async function sendRepeatable(
  { token, retryForMs, requestTimeoutMs }: Connection,
  address: string,
  {
    headers,
    signal,
    method = 'GET',
  }: { method?: string; headers?: object; signal?: AbortSignal | undefined },
): Promise<Response> {
  const init = {
    method,
    headers: { ...protocol, ...headers, Authorization: token },
    ...(signal && { signal }),
  };
  const mayRepeat = (error: TapedeckError) => isPassing(error) || unsettledStatuses.has(error.status);
  const work = async () => {
    const response = await attempt(address, init, requestTimeoutMs);
    if (!response.ok) throw await readError(response);
    return response;
  };
  return await persist(work, { retryForMs, signal }, mayRepeat);
}

function writeMetadata(
  content: Content,
  { filename = content.filename, path, metadata, retentionExempt, visibility }: UploadOptions,
): string {
  const fields = {
    filename,
    path,
    metadata: metadata && JSON.stringify(metadata),
    retentionExempt: retentionExempt && 'true',
    visibility,
  };
  return Object.entries(fields)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name} ${toBase64(String(value))}`)
    .join(',');
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
