/** Finds files that a reader may see: pages of them, and one by id or key. */
import { type MediaType, ServiceError } from '../../vocabulary.ts';
import type { FileFilter, FilePage, FileRecords, StoredFile } from '../ports/files.ts';
import type { Reader } from '../principals.ts';
import { allowsPath } from '../scopes.ts';
import { readTerms } from '../searchTerms.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { parseFolderPath } from './folderPath.ts';
import { chooseType, requirePathScope } from './permissions.ts';

export type ReadingDeps = { files: FileRecords; secret: string };

export type FileQuery = {
  page: number;
  limit: number;
  cursor: string | null;
  type: MediaType | null;
  path: string;
  q: string;
  metadata: FileFilter['metadata'];
};

export type ListedFiles = Pick<FilePage, 'files' | 'total'> & { nextCursor: string | null };

export async function listFiles(deps: ReadingDeps, reader: Reader, query: FileQuery): Promise<ListedFiles> {
  const { project } = reader;
  const filter = narrowFilter(reader, {
    type: query.type,
    path: parseFolderPath(query.path),
    terms: readTerms('q', query.q),
    metadata: query.metadata,
  });
  const scope = `files ${project.slug}`;
  const from =
    query.cursor === null
      ? // Databases take no larger integer.
        { offset: Math.min((query.page - 1) * query.limit, Number.MAX_SAFE_INTEGER) }
      : { belowPosition: readCursor(deps.secret, scope, query.cursor) };
  // One more than asked for tells whether there is a next page.
  const page = await deps.files.list(project.slug, { filter, limit: query.limit + 1, from });
  const files = page.files.slice(0, query.limit);
  const last = page.positions[query.limit - 1];
  const hasMore = page.files.length > query.limit && last !== undefined;
  return { files, total: page.total, nextCursor: hasMore ? writeCursor(deps.secret, scope, last) : null };
}

/** Where the query names no folder or type, a token for a single one lists that one. */
function narrowFilter({ scopes }: Reader, filter: FileFilter): FileFilter {
  const path = filter.path === '' && scopes.paths?.length === 1 ? scopes.paths[0]! : filter.path;
  requirePathScope(scopes, path);
  return { ...filter, path, type: chooseType(scopes, filter.type) };
}

export function noFileError(): ServiceError {
  return new ServiceError('not_found', 'There is no such file.');
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
