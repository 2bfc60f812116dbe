/** Files go: the record at once, the bytes right after, and again at every sweep until they are gone. */

import { ServiceError } from '../../vocabulary.ts';
import type { BlobStore, DiskReserve } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import { nameBlob } from './blobNames.ts';
import type { PublicFiles } from './publicFiles.ts';
import { variantWidths } from './variants.ts';

export type RemovalDeps = {
  files: FileRecords;
  blobs: BlobStore;
  clock: Clock;
  publicFiles: Pick<PublicFiles, 'forget'>;
  reserve: DiskReserve;
};

const removalsPerTurn = 200; // a turn ends soon enough to be stopped between two

/** False when somebody else was first. Bytes that cannot be removed now are removed by the sweeper. */
export async function removeFile(deps: RemovalDeps, file: StoredFile): Promise<boolean> {
  if (!(await withRoom(deps.reserve, () => deps.files.remove(file, deps.clock.now())))) return false;
  deps.publicFiles.forget(file);
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

/** On a full disk deleting gives up the reserve and goes on; the sweeper takes it again when there is room. */
async function withRoom<T>(reserve: DiskReserve, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFull = error instanceof ServiceError && error.code === 'disk_full';
    if (isFull && (await reserve.release())) return await work();
    throw error;
  }
}
