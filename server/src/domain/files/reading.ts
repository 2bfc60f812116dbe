/** Finds files a reader may see: pages of them, or one by id or key. */
import { ServiceError } from '../../vocabulary.ts';
import type { Reader } from '../identity/principals.ts';
import type { FileFilter, FileFolder, FilePage, FileRecords, StoredFile } from '../ports/files.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { allowsPath, chooseType, requirePathScope } from './permissions.ts';

export type ReadingDeps = { files: FileRecords; secret: string };

type FileQuery = FileFilter & { page: number; limit: number; cursor: string | null };

type ListedFiles = Pick<FilePage, 'files' | 'total'> & { nextCursor: string | null };

export async function listFiles(
  deps: ReadingDeps,
  reader: Reader,
  { page: pageNumber, limit, cursor, ...asked }: FileQuery,
): Promise<ListedFiles> {
  const { project } = reader;
  const filter = narrowFilter(reader, asked);
  const scope = `files ${project.slug}`;
  const from =
    cursor === null
      ? // Databases take no larger integer.
        { offset: Math.min((pageNumber - 1) * limit, Number.MAX_SAFE_INTEGER) }
      : { belowPosition: readCursor(deps.secret, scope, cursor) };
  // One more than asked for tells whether there is a next page.
  const page = await deps.files.list(project.slug, { filter, limit: limit + 1, from });
  const files = page.files.slice(0, limit);
  const last = page.positions[limit - 1];
  const hasMore = page.files.length > limit && last !== undefined;
  return { files, total: page.total, nextCursor: hasMore ? writeCursor(deps.secret, scope, last) : null };
}

/** The direct subfolders of a folder, as far as the reader may see their files. */
export function listFolders(
  { files }: Pick<ReadingDeps, 'files'>,
  reader: Reader,
  { path, namesBegin, limit }: { path: string; namesBegin: string; limit: number },
): Promise<FileFolder[]> {
  const filter = narrowFilter(reader, { path, type: null, terms: [], metadata: [] });
  const { path: below, type } = filter;
  return files.listFolders(reader.project.slug, {
    below,
    namesBegin: namesBegin.normalize('NFC'),
    type,
    limit,
  });
}

/** A token for a single folder or type lists that one if the query names none. */
export function narrowFilter({ scopes }: Reader, filter: FileFilter): FileFilter {
  const path = filter.path === '' && scopes.paths?.length === 1 ? scopes.paths[0]! : filter.path;
  requirePathScope(scopes, path);
  return { ...filter, path, type: chooseType(scopes, filter.type) };
}

export function noFileError(sentence = 'There is no such file.'): ServiceError {
  return new ServiceError('not_found', sentence);
}

/** Takes an id or a key. A file that the reader may not see is treated as absent. */
export async function findFile(
  deps: Pick<ReadingDeps, 'files'>,
  reader: Reader,
  idOrKey: string,
): Promise<StoredFile> {
  const { project, scopes } = reader;
  const file = await deps.files.find(project.slug, idOrKey.normalize('NFC'));
  const isSeen = file !== null && allowsPath(scopes, file.path) && (scopes.types?.has(file.type) ?? true);
  if (!isSeen) throw noFileError();
  return file;
}
