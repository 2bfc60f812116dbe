/** Names a file for the blob store, which computes from the name where the bytes lie. */
import type { BlobName } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';

export function nameBlob({ project, id, key, createdAt }: StoredFile): BlobName {
  return { project, fileId: id, storageKey: key, createdAt };
}
