/** The bytes of files in a backup: one file each under its id, the same for every blob store. Variants are made anew. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/failures';
import { walkAllFiles } from '../../domain/files/allFiles.ts';
import { nameBlob } from '../../domain/files/naming.ts';
import type { BackupPart } from '../../domain/ports/backup.ts';
import type { BlobStore, Staging } from '../../domain/ports/blobs.ts';
import type { FileRecords, StoredFile } from '../../domain/ports/files.ts';
import { describeDamage } from '../backupDamage.ts';

type BlobsPartDeps = {
  files: FileRecords;
  blobs: BlobStore;
  /** Asked by the restore alone: in a data directory that is backed up, staging is the service's. */
  openStaging(): Promise<Staging & Disposable>;
};

const folderCharacters = 2; // the last ones of an id are random: 3844 folders at most

/**
 * Saved after the records and restored after them. Bytes that are missing or damaged are counted and left out; records
 * without bytes, also of files that were deleted while the backup was made, are forgotten by the restore.
 */
export function blobsPart(deps: BlobsPartDeps): BackupPart {
  return {
    name: 'media',
    isShared: true,
    save: async (folder, note) => {
      const counts = { files_saved: 0, bytes_saved: 0, files_there_before: 0, files_left_out: 0 };
      const folders = new Set<string>();
      for await (const file of walkAllFiles(deps.files)) {
        const place = placeIn(folder, file);
        if (!folders.has(path.dirname(place))) await makeDirectory(path.dirname(place));
        folders.add(path.dirname(place));
        const isThere = (await sizeOf(place)) === file.sizeBytes;
        if (isThere) counts.files_there_before += 1;
        if (isThere || (await saveBlob(deps.blobs, file, place))) {
          await note(path.relative(folder, place), file.sizeBytes);
          if (isThere) continue;
          counts.files_saved += 1;
          counts.bytes_saved += file.sizeBytes;
        } else if ((await deps.files.find(file.project, file.id)) !== null) counts.files_left_out += 1;
      }
      for (const each of folders) await syncDirectory(each);
      return counts;
    },
    restore: async folder => {
      using staging = await deps.openStaging();
      for await (const file of walkAllFiles(deps.files)) {
        const place = placeIn(folder, file);
        if (existsSync(place)) await restoreBlob({ blobs: deps.blobs, staging }, file, place);
        else {
          await deps.files.remove(file, file.createdAt);
          await deps.files.finishRemoval(file.id);
        }
      }
    },
  };
}

function placeIn(folder: string, { id }: StoredFile): string {
  return path.join(folder, id.slice(-folderCharacters), id);
}

async function sizeOf(place: string): Promise<number | null> {
  return (await stat(place).catch(() => null))?.size ?? null;
}

/** False, and nothing is left, when the bytes are not those that were uploaded. One that is there is whole. */
async function saveBlob(blobs: BlobStore, file: StoredFile, place: string): Promise<boolean> {
  const from = blobs.placeOf(nameBlob(file), null);
  if ((await blobs.size(from)) !== file.sizeBytes) return false;
  const stream = await blobs.read(from, { start: 0, end: file.sizeBytes });
  if (stream === null) return false;
  const hash = createHash('sha256');
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const draft = `${place}.draft`;
  await rm(draft, { force: true }); // of a backup that was killed
  await writeSyncedFile(draft, hashed());
  const isWhole = hash.digest('hex') === file.sha256;
  await (isWhole ? rename(draft, place) : rm(draft));
  return isWhole;
}

async function restoreBlob(
  { blobs, staging }: { blobs: BlobStore; staging: Staging },
  file: StoredFile,
  place: string,
): Promise<void> {
  const bytes = createReadStream(place);
  const refuse = () => describeDamage(`${place} is not what was saved there.`);
  await using staged = await staging.stage(bytes, { bytesMax: file.sizeBytes, refuse });
  if (staged.sha256 !== file.sha256) throw refuse();
  try {
    await blobs.put(blobs.placeOf(nameBlob(file), null), staged, file.mimeType);
  } catch (error) {
    // A bucket that outlived its database holds the blob already: places are never used twice.
    if (!(error instanceof Failure) || error.code !== 'blob_exists') throw error;
  }
}
