/** The trash of a project: deleted files can be restored for some days. Their bytes stay and count towards quotas. */

import type { Reader } from '../identity/principals.ts';
import { dayMs } from '../instants.ts';
import { workFromReserve } from '../operations/diskReserve.ts';
import type { FileRecords, StoredFile, TrashedFile } from '../ports/files.ts';
import type { Project } from '../ports/metadata.ts';
import { invalidFieldError } from '../vocabulary.ts';
import { changeWithRelocation, type RelocationDeps } from './blobRelocation.ts';
import { noFileError } from './fileLookup.ts';
import { walkPages } from './pageIteration.ts';
import { allowsPath } from './permissions.ts';
import { type RemovalDeps, removeFile, startTrashRemovals } from './removal.ts';

const filesPerTurn = 500; // one query's worth

export function requireTrash({ trashDays }: Pick<Project, 'trashDays'>): void {
  if (trashDays !== null) return;
  throw invalidFieldError('trash', 'This project has no trash: set trashDays in its settings first.');
}

/** Deletes a file, or moves it to the trash. Returns false if it was already gone. */
export async function deleteFile(
  deps: RemovalDeps & RelocationDeps,
  file: StoredFile,
  toTrash: boolean,
): Promise<boolean> {
  if (!toTrash) return await removeFile(deps, file);
  return await changeWithRelocation(deps, file, async () => {
    if (!(await workFromReserve(deps.reserve, () => deps.files.trash(file, deps.clock.now())))) return false;
    deps.publicFiles.forget(file);
    return true;
  });
}

/** Restores a file from the trash, with its old URL. */
export async function restoreFile(
  deps: RelocationDeps,
  reader: Reader,
  idOrKey: string,
): Promise<StoredFile> {
  const { files } = deps;
  const file = await findTrashedFile(deps, reader, idOrKey);
  if (file === null || !(await changeWithRelocation(deps, file, () => files.restore(file))))
    throw noFileError('There is no such file in the trash.');
  return (await files.find(reader.project.slug, file.id)) ?? file;
}

/** Deletes a file from the trash early. Returns false if it was already gone. */
export async function endTrashedFile(deps: RemovalDeps, file: StoredFile): Promise<boolean> {
  return await startTrashRemovals(deps)(file);
}

/** Finds a file in the trash that the reader may see. */
export async function findTrashedFile(
  { files }: { files: FileRecords },
  { project, scopes }: Reader,
  idOrKey: string,
): Promise<StoredFile | null> {
  const trashed = await files.findTrashed(project.slug, idOrKey.normalize('NFC'));
  const isSeen =
    trashed !== null &&
    allowsPath(scopes, trashed.file.path) &&
    (scopes.types?.has(trashed.file.type) ?? true);
  return isSeen ? trashed.file : null;
}

/** Yields files whose days in the trash are over; without a trash setting, all trashed files. */
export async function* findEndedTrash(
  files: Pick<FileRecords, 'listTrashed'>,
  { slug, trashDays }: Pick<Project, 'slug' | 'trashDays'>,
  now: number,
): AsyncGenerator<StoredFile> {
  const before = trashDays === null ? Number.MAX_SAFE_INTEGER : now - trashDays * dayMs;
  const trashed = walkPages<TrashedFile>(filesPerTurn, last => {
    const after = last && { at: last.trashedAt, id: last.file.id };
    return files.listTrashed({ project: slug, order: 'trashedAt', before, after, limit: filesPerTurn });
  });
  for await (const { file } of trashed) yield file;
}
