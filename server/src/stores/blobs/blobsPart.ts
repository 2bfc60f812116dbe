/** The files' part of a backup: one file per id, the same for every blob store. The service recreates variants later. */
import { Readable } from 'node:stream';
import { nameBlob } from '@tapedeck/domain/files/naming';
import { walkAllFiles } from '@tapedeck/domain/files/pageIteration';
import type { BackupFiles, BackupPart } from '@tapedeck/domain/ports/backup';
import type { BlobStore, Staging } from '@tapedeck/domain/ports/blobs';
import type { FileRecords, StoredFile } from '@tapedeck/domain/ports/files';
import { Failure } from '@tapedeck/values/failure';
import { describeDamage } from '../backupDamage.ts';

type BlobsPartDeps = {
  files: FileRecords;
  /** Lists the files whose records the backup already holds. */
  listSaved(): AsyncIterable<StoredFile>;
  blobs: BlobStore;
  /** Only the restore asks for staging. During a backup, the service owns the staging of the data directory. */
  openStaging(): Promise<Staging & Disposable>;
  /** Opens this part's folder, or wherever else the backup keeps its files. */
  openFiles(folder: string): BackupFiles;
};

export const mediaPartName = 'media';
const folderCharacters = 2; // the last characters of an id are random: at most 3844 folders

/**
 * Saves exactly the files that the saved records name, after the records, and restores them after the records. Counts missing or damaged
 * bytes and leaves them out. The restore removes records without bytes, including those of files that were deleted during the backup.
 */
export function blobsPart(deps: BlobsPartDeps): BackupPart {
  return {
    name: mediaPartName,
    isShared: true,
    save: async (folder, note) => {
      const saved = deps.openFiles(folder);
      const counts = { files_saved: 0, bytes_saved: 0, files_there_before: 0, files_left_out: 0 };
      for await (const file of deps.listSaved()) {
        const name = nameSaved(file);
        const isThere = (await saved.sizeOf(name)) === file.sizeBytes;
        if (isThere) counts.files_there_before += 1;
        if (isThere || (await saveWhereItIs(deps, saved, file))) {
          await note(name, file.sizeBytes);
          if (isThere) continue;
          counts.files_saved += 1;
          counts.bytes_saved += file.sizeBytes;
        } else if ((await deps.files.find(file.project, file.id)) !== null) counts.files_left_out += 1;
      }
      await saved.finish();
      return counts;
    },
    restore: async folder => {
      const saved = deps.openFiles(folder);
      using staging = await deps.openStaging();
      for await (const file of walkAllFiles(deps.files)) {
        const bytes = await saved.read(nameSaved(file));
        if (bytes !== null) await restoreBlob({ blobs: deps.blobs, staging }, file, bytes);
        else {
          await deps.files.remove(file, file.createdAt);
          await deps.files.finishRemoval(file.id);
        }
      }
    },
  };
}

function nameSaved({ id }: StoredFile): string {
  return `${id.slice(-folderCharacters)}/${id}`;
}

/** Looks the file up again, because hiding or showing it may have moved its bytes since its record was saved. */
async function saveWhereItIs(
  { files, blobs }: Pick<BlobsPartDeps, 'files' | 'blobs'>,
  saved: BackupFiles,
  file: StoredFile,
): Promise<boolean> {
  if (await saveBlob({ saved, blobs }, file)) return true;
  const now = await files.find(file.project, file.id);
  return now !== null && now.blobSecret !== file.blobSecret && (await saveBlob({ saved, blobs }, now));
}

/** Returns false and leaves nothing if the bytes don't match the uploaded file. */
async function saveBlob(
  { saved, blobs }: { saved: BackupFiles; blobs: BlobStore },
  file: StoredFile,
): Promise<boolean> {
  const from = blobs.placeOf(nameBlob(file), null);
  const { sizeBytes, sha256 } = file;
  if ((await blobs.size(from)) !== sizeBytes) return false;
  // A file deleted just now reads as empty, so its hash doesn't match.
  const open = async () => (await blobs.read(from, { start: 0, end: sizeBytes })) ?? Readable.from([]);
  return await saved.write(nameSaved(file), { sizeBytes, sha256, open });
}

async function restoreBlob(
  { blobs, staging }: { blobs: BlobStore; staging: Staging },
  file: StoredFile,
  bytes: Readable,
): Promise<void> {
  const refuse = () => describeDamage(`${nameSaved(file)} differs from what was saved.`);
  await using staged = await staging.stage(bytes, { bytesMax: file.sizeBytes, refuse });
  if (staged.sha256 !== file.sha256) throw refuse();
  try {
    await blobs.put(blobs.placeOf(nameBlob(file), null), staged, file.mimeType);
  } catch (error) {
    // A bucket that outlived its database already holds the blob, because places are never reused.
    if (!(error instanceof Failure) || error.code !== 'blob_exists') throw error;
  }
}
