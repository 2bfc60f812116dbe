/** What the blob store needs to know of a file to find its place. */
import type { BlobName } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';

export function nameBlob({ project, id, key, createdAt }: StoredFile): BlobName {
  return { project, fileId: id, storageKey: key, createdAt };
}
