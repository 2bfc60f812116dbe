/** Files go: the record at once, the bytes right after, and again at every sweep until they are gone. */
import type { BlobStore } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import { nameBlob } from './blobNames.ts';
import { variantWidths } from './variants.ts';

export type RemovalDeps = { files: FileRecords; blobs: BlobStore; clock: Clock };

const removalsPerTurn = 200; // a turn ends soon enough to be stopped between two

/** False when somebody else was first. Bytes that cannot be removed now are removed by the sweeper. */
export async function removeFile(deps: RemovalDeps, file: StoredFile): Promise<boolean> {
  if (!(await deps.files.remove(file, deps.clock.now()))) return false;
  await removeBytes(deps, file).catch(() => undefined);
  return true;
}

/** Removes the bytes of files whose records went while the blob store was out of reach, or the process ended. */
export async function finishRemovals(deps: RemovalDeps): Promise<number> {
  let finished = 0;
  for (;;) {
    const removals = await deps.files.listRemovals(removalsPerTurn);
    for (const { file } of removals) {
      await removeBytes(deps, file);
      finished += 1;
    }
    if (removals.length < removalsPerTurn) return finished;
  }
}

async function removeBytes({ blobs, files }: RemovalDeps, file: StoredFile): Promise<void> {
  const name = nameBlob(file);
  await blobs.delete(blobs.placeOf(name, null));
  if (file.type === 'image') {
    for (const width of variantWidths) await blobs.delete(blobs.placeOf(name, width));
  }
  await files.finishRemoval(file.id);
}
