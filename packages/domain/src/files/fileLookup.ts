/** Finds files a reader may see: pages of them, or one by id or key. */

import type { Reader } from '../identity/principals.ts';
import type { FileFilter, FileFolder, FilePage, FileRecords, StoredFile } from '../ports/files.ts';
import { ServiceError } from '../vocabulary.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { allowsPath, chooseType, requirePathScope } from './permissions.ts';

export type ReadingDeps = { files: FileRecords; secret: string };

type FileQuery = FileFilter & { page: number; limit: number; cursor: string | null };

type ListedFiles = Pick<FilePage, 'files' | 'total'> & { nextCursor: string | null };

export async function listFiles(
  deps: ReadingDeps,
  reader: Reader,
  { page: pageNumber, limit, cursor, ...lookup }: FileQuery,
): Promise<ListedFiles> {
  const { project } = reader;
  const filter = narrowFilter(reader, lookup);
  const scope = `files ${project.slug}`;
  const from =
    cursor === null
      ? // Databases accept no larger integer.
        { offset: Math.min((pageNumber - 1) * limit, Number.MAX_SAFE_INTEGER) }
      : { belowPosition: readCursor(deps.secret, scope, cursor) };
  // One extra row tells whether there is a next page.
  const page = await deps.files.list(project.slug, { filter, limit: limit + 1, from });
  const files = page.files.slice(0, limit);
  const last = page.positions[limit - 1];
  const hasMore = page.files.length > limit && last !== undefined;
  return { files, total: page.total, nextCursor: hasMore ? writeCursor(deps.secret, scope, last) : null };
}

/** Lists direct subfolders, counting only files that the reader may see. */
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

/** If the query names no folder or type, a token for a single one lists that. */
export function narrowFilter({ scopes }: Reader, filter: FileFilter): FileFilter {
  const path = filter.path === '' && scopes.paths?.length === 1 ? scopes.paths[0]! : filter.path;
  requirePathScope(scopes, path);
  return { ...filter, path, type: chooseType(scopes, filter.type) };
}

export function noFileError(sentence = 'There is no such file.'): ServiceError {
  return new ServiceError('not_found', sentence);
}

/** Takes an id or a key. Files that the reader may not see seem not to exist. */
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
