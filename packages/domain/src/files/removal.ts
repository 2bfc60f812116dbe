/** Deletes files: first the record, then the bytes, with retries at every sweep. */

import { Failure } from '@tapedeck/values/failure';
import { workFromReserve } from '../operations/diskReserve.ts';
import type { BlobStore, DiskReserve } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords, FileRemoval, StoredFile } from '../ports/files.ts';
import type { ErrorCode } from '../vocabulary.ts';
import { nameBlob } from './naming.ts';
import { walkPages } from './pageIteration.ts';
import { PartialFailures } from './partialFailures.ts';
import type { PublicFiles } from './publicFiles.ts';
import { variantNames } from './variantForms.ts';

export type RemovalDeps = {
  files: FileRecords;
  blobs: BlobStore;
  clock: Clock;
  publicFiles: Pick<PublicFiles, 'forget'>;
  reserve: DiskReserve;
};

/** A silent store also reports `overloaded`, because of waiting requests. */
const absences: readonly ErrorCode[] = ['blobs_unavailable', 'overloaded'];
const removalsPerTurn = 200; // one query's worth

/** Returns false if the file was already gone. If the bytes cannot be removed now, the sweeper removes them. */
export async function removeFile(deps: RemovalDeps, file: StoredFile): Promise<boolean> {
  if (!(await removeRecord(deps, file))) return false;
  await removeBytes(deps, file).catch(() => undefined);
  return true;
}

/**
 * Like `removeFile`, for many files. Once the blob store turns out to be away, removes only records, because each attempt could take until the
 * store's timeout.
 */
export function startRemovals(deps: RemovalDeps): (file: StoredFile) => Promise<boolean> {
  return startRemoving(deps, file => removeRecord(deps, file));
}

/** Like `startRemovals`, for files in the trash. */
export function startTrashRemovals(deps: RemovalDeps): (file: StoredFile) => Promise<boolean> {
  const { files, clock, reserve } = deps;
  return startRemoving(deps, file => workFromReserve(reserve, () => files.removeTrashed(file, clock.now())));
}

function startRemoving(
  deps: RemovalDeps,
  removeOne: (file: StoredFile) => Promise<boolean>,
): (file: StoredFile) => Promise<boolean> {
  let isUnavailable = false;
  const recordFailure = async (error: unknown) => {
    if (!(error instanceof Failure && absences.includes(error.code))) return;
    isUnavailable = await deps.blobs.check().then(
      () => false,
      () => true,
    );
  };
  return async file => {
    if (!(await removeOne(file))) return false;
    if (!isUnavailable) await removeBytes(deps, file).catch(recordFailure);
    return true;
  };
}

async function removeRecord(deps: RemovalDeps, file: StoredFile): Promise<boolean> {
  if (!(await workFromReserve(deps.reserve, () => deps.files.remove(file, deps.clock.now())))) return false;
  deps.publicFiles.forget(file);
  return true;
}

/**
 * Removes the bytes of files whose records were removed while the blob store was away, or before the process ended. Skips bytes that cannot be
 * removed and reports them at the end; stops if the store is away.
 */
export async function finishRemovals(deps: RemovalDeps, signal: AbortSignal): Promise<number> {
  let finished = 0;
  const failures = new PartialFailures(deps.blobs, 'the bytes of a deleted file could not be removed');
  for await (const file of findRemovals(deps.files)) {
    signal.throwIfAborted();
    await failures.attempt(async () => {
      await removeBytes(deps, file);
      finished += 1;
    });
  }
  failures.throwIfAny();
  return finished;
}

async function* findRemovals(files: FileRecords): AsyncGenerator<StoredFile> {
  const removals = walkPages<FileRemoval>(removalsPerTurn, last => {
    const after = last && { removedAt: last.removedAt, fileId: last.file.id };
    return files.listRemovals({ after, limit: removalsPerTurn });
  });
  for await (const { file } of removals) yield file;
}

async function removeBytes({ blobs, files }: RemovalDeps, file: StoredFile): Promise<void> {
  await removeBlobs(blobs, file);
  // An interrupted move may have left bytes there.
  if (file.blobSecret) await removeBlobs(blobs, { ...file, blobSecret: null });
  await files.finishRemoval(file.id);
}

/** Removes the bytes at the record's place, and their variants. */
export async function removeBlobs(blobs: BlobStore, file: StoredFile): Promise<void> {
  const name = nameBlob(file);
  await blobs.delete(blobs.placeOf(name, null));
  if (file.type === 'audio') return; // sounds have no pictures
  for (const variant of await blobs.findVariants(name, variantNames))
    await blobs.delete(blobs.placeOf(name, variant));
}
