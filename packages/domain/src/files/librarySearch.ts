/** Searches files with the query language, in any order, and the trash. */
import type { FileQuery } from '@tapedeck/log-query-language';
import type { Reader } from '../identity/principals.ts';
import type { FileFilter, FilePlace, FileSort, StoredFile, TrashedFile } from '../ports/files.ts';
import { readSortedCursor, writeSortedCursor } from './cursor.ts';
import { narrowFilter, type ReadingDeps } from './fileLookup.ts';
import { requireTrash } from './trash.ts';

type SearchQuery = FileFilter & {
  query: FileQuery | null;
  sort: FileSort;
  page: number;
  limit: number;
  cursor: string | null;
};

type Found<File> = { files: File[]; total: number; nextCursor: string | null };

/** `listFiles` has its own index for this order without a query. */
export const usualSort: FileSort = { by: 'createdAt', order: 'desc' };

export function searchFiles(
  deps: ReadingDeps,
  reader: Reader,
  query: SearchQuery,
): Promise<Found<StoredFile>> {
  return findPage(deps, reader, { query, list: 'files', search: deps.files.search });
}

/** Throws if the project has no trash. */
export function searchTrash(
  deps: ReadingDeps,
  reader: Reader,
  query: SearchQuery,
): Promise<Found<TrashedFile>> {
  requireTrash(reader.project);
  return findPage(deps, reader, { query, list: 'trash', search: deps.files.searchTrash });
}

type Search<File> = (
  project: string,
  search: Parameters<ReadingDeps['files']['search']>[1],
) => Promise<{ files: File[]; places: FilePlace[]; total: number }>;

async function findPage<File>(
  { secret }: Pick<ReadingDeps, 'secret'>,
  reader: Reader,
  { query: searchQuery, list, search }: { query: SearchQuery; list: string; search: Search<File> },
): Promise<Found<File>> {
  const { slug } = reader.project;
  const { query, sort, page, limit, cursor, ...filter } = searchQuery;
  const scope = `${list} ${slug} ${sort.by} ${sort.order}`;
  const from =
    cursor === null
      ? { offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) }
      : { after: readSortedCursor(secret, scope, cursor) };
  // One extra row tells whether there is a next page.
  const narrowed = { filter: narrowFilter(reader, filter), times: null, query, sort, from, limit: limit + 1 };
  const { files, places, total } = await search(slug, narrowed);
  const last = places[limit - 1];
  const hasMore = files.length > limit && last !== undefined;
  const nextCursor = hasMore ? writeSortedCursor(secret, scope, last) : null;
  return { files: files.slice(0, limit), total, nextCursor };
}
