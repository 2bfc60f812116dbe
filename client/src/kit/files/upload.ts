/** Uploads small files in one request, and larger ones in chunks that resume after a lost connection. */

import type { Connection } from '../connection.ts';
import { attempt, persist, requireOk, requireRunning } from '../retries.ts';
import { type Content, openContent, type UploadSource } from './content.ts';
import { sendInPieces } from './tusUpload.ts';
import type { UploadedFile, UploadOptions } from './uploadOptions.ts';

const wholeBytesMax = 8 * 1024 * 1024; // CONTRACT.md, 12: resumable above this

export async function uploadFile(
  connection: Connection,
  source: UploadSource,
  options: UploadOptions = {},
): Promise<UploadedFile> {
  requireRunning(options.signal);
  const content = await openContent(source, connection.platform);
  try {
    return await send(connection, content, options);
  } finally {
    await content.close();
  }
}

async function send(connection: Connection, content: Content, options: UploadOptions): Promise<UploadedFile> {
  const first =
    content.sizeBytes === null || content.sizeBytes <= wholeBytesMax
      ? await content.read(0, wholeBytesMax)
      : { bytes: new Uint8Array(), isEnd: false };
  requireRunning(options.signal);
  const result = first.isEnd
    ? await sendWhole(connection, { content, bytes: first.bytes }, options)
    : await sendInPieces(connection, content, options);
  return { id: result.id, url: result.url, originalUrl: result.originalUrl };
}

/** Retries use the same key, so the service stores the file once. */
async function sendWhole(
  { url, token, retryForMs, requestTimeoutMs }: Connection,
  { content, bytes }: { content: Content; bytes: Uint8Array<ArrayBuffer> },
  options: UploadOptions,
): Promise<UploadedFile> {
  const { signal, onProgress } = options;
  const headers = { Authorization: token, 'Idempotency-Key': crypto.randomUUID() };
  const total = bytes.length;
  const form = writeForm(content.filename, bytes, options);
  onProgress?.({ loaded: 0, total });
  const init = { method: 'POST', headers, body: form, ...(signal && { signal }) };
  const response = await persist(
    async () => requireOk(await attempt(`${url}/api/v3/file`, init, requestTimeoutMs)),
    { retryForMs, signal },
  );
  onProgress?.({ loaded: total, total });
  // CONTRACT.md, 3: the upload result.
  const { data } = (await response.json()) as { data: UploadedFile };
  return data;
}

function writeForm(
  contentName: string,
  bytes: Uint8Array<ArrayBuffer>,
  { filename = contentName, path, metadata, retentionExempt, visibility }: UploadOptions,
): FormData {
  const form = new FormData();
  if (filename !== '') form.set('filename', filename);
  if (path) form.set('path', path);
  if (metadata) form.set('metadata', JSON.stringify(metadata));
  if (retentionExempt) form.set('retentionExempt', 'true');
  if (visibility) form.set('visibility', visibility);
  form.set('file', new Blob([bytes]), filename || 'file');
  return form;
}
