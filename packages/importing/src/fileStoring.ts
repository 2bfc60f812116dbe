/** Stores a file at the destination once, and checks that its bytes are the same there. */
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { Failure } from '@tapedeck/values/failure';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import type { Destination } from './destination.ts';
import type { Download } from './downloads.ts';
import { readFile, readList, type SourceFile } from './sourceShapes.ts';

type NewFile = {
  /** Unique within the import. */
  name: string;
  filename: string;
  path: string;
  metadata: JsonObject;
  retentionExempt: boolean;
};

export type StoredFile = { id: string; url: string };

export async function storeFile(
  destination: Destination,
  { name, filename, path, metadata, retentionExempt }: NewFile,
  content: Download & { file: string },
): Promise<StoredFile> {
  const form = new FormData();
  if (filename !== '') form.set('filename', filename);
  if (path !== '') form.set('path', path);
  form.set('metadata', JSON.stringify(metadata));
  if (retentionExempt) form.set('retentionExempt', 'true');
  form.set('file', await openAsBlob(content.file), filename || 'file');
  const fields = [name, filename, path, metadata, retentionExempt, content.sha256];
  const key = createHash('sha256').update(JSON.stringify(fields)).digest('hex');
  const { remote } = destination;
  const answer = await remote.post('/api/v3/file', { body: form, headers: { 'Idempotency-Key': key } });
  const stored = isObject(answer) && isObject(answer.data) ? readFile(answer.data) : null;
  const [url = ''] = stored?.urls ?? [];
  if (stored === null) throw new Error('An upload was answered without an id.');
  await requireSame(destination, stored.id, content);
  return { id: stored.id, url };
}

/** A file's ETag is the hash of its bytes. */
async function requireSame(
  { remote, project }: Destination,
  id: string,
  { sizeBytes, sha256 }: Download,
): Promise<void> {
  const answer = await remote.get(`/api/v3/file/${id}`);
  const record = isObject(answer) && isObject(answer.data) ? answer.data : {};
  const key = String(record.key).split('/').map(encodeURIComponent).join('/');
  const response = await fetch(`${remote.baseUrl}/media/${project}/${key}`, { method: 'HEAD' });
  if (record.size === sizeBytes && response.headers.get('ETag') === `"${sha256}"`) return;
  throw new Failure('unavailable', `the stored file ${id} does not have the bytes of the original.`);
}

/** Finds the file that an earlier import created from this one; null: none. */
export async function findStored({ remote }: Destination, file: SourceFile): Promise<StoredFile | null> {
  const query = { 'metadata.imported.id': file.id, limit: 100 };
  const listed = readList(await remote.get('/api/v3/file', query)) ?? [];
  const paths = file.urls.map(readPath);
  for (const each of listed) {
    const stored = readFile(each);
    const imported = stored?.metadata.imported;
    // Two services may use the same ids.
    if (stored === null || !isObject(imported) || !paths.includes(readPath(String(imported.url)))) continue;
    return { id: stored.id, url: stored.urls[0] ?? '' };
  }
  return null;
}

/** The host of a public URL changes with the service's domain. */
function readPath(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
