/** A project's settings for its files: who may read them, the trash, and whether pictures keep their location. */
import { newId } from '@tapedeck/values/random-ids';
import type { StoredFile } from '../ports/files.ts';
import { type FileVisibility, invalidFieldError } from '../vocabulary.ts';
import { parseFolderPath } from './folderPath.ts';

type FolderVisibility = { path: string; visibility: FileVisibility };

export type LibrarySettings = {
  /** Days that a deleted file stays in the trash; null: no trash. */
  trashDays: number | null;
  /** Rules for folders. The longest path that contains the file wins; a file's own visibility overrides them. '' is the project's folder. */
  visibility: { folders: readonly FolderVisibility[] };
  /** Whether to remove locations from pictures before storing them. */
  stripLocation: boolean;
};

export const noLibrary: LibrarySettings = {
  trashDays: null,
  visibility: { folders: [] },
  stripLocation: false,
};

const trashDaysDefault = 30; // CONTRACT.md, 15

/** The settings of a new project. */
export const newLibrary: LibrarySettings = { ...noLibrary, trashDays: trashDaysDefault };

/** Whether only signed links give access to the file. */
export function isPrivate(
  { visibility }: Pick<LibrarySettings, 'visibility'>,
  file: { path: string; visibility: FileVisibility | null },
): boolean {
  if (file.visibility !== null) return file.visibility === 'private';
  let longest: FolderVisibility | null = null;
  for (const rule of visibility.folders) {
    const applies = rule.path === '' || file.path === rule.path || file.path.startsWith(`${rule.path}/`);
    if (applies && rule.path.length > (longest?.path.length ?? -1)) longest = rule;
  }
  return longest?.visibility === 'private';
}

/** Gives private files an unguessable place from the start. */
export function hidePrivate(project: LibrarySettings | null, file: StoredFile): StoredFile {
  return project !== null && isPrivate(project, file) ? { ...file, blobSecret: newId() } : file;
}

/** Normalises rules for storing. Throws `path_invalid` for invalid folders; rejects two rules for one folder. */
export function parseVisibilityRules({
  folders,
}: LibrarySettings['visibility']): LibrarySettings['visibility'] {
  const parsed = folders.map(({ path, visibility }) => ({ path: parseFolderPath(path), visibility }));
  const paths = new Set(parsed.map(({ path }) => path));
  if (paths.size === parsed.length) return { folders: parsed };
  throw invalidFieldError('visibility', 'Give one rule for each folder; one of them has two.');
}
