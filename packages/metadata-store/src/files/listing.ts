/**
 * Reads pages of files, newest first, with exact totals, at the same speed at any depth.
 *
 * Files are counted by folder, type and bucket of positions. At a million files, summing a thousand rows gives the total and the bucket
 * where a page begins, so that it only skips entries of one bucket. Filters by name or metadata have no counts: their total is the number
 * of files that the index finds.
 */

import type {
  ExpiredQuery,
  FileFilter,
  FilePage,
  FilePageQuery,
  StoredFile,
} from '@tapedeck/domain/ports/files';
import { bucketPositions } from '@tapedeck/file-index';
import { foldCase } from '@tapedeck/values/case-folding';
import { sql } from 'kysely';
import type { FileRow, MetadataDatabase, Queries } from '../schema.ts';
import { nameMetadataEntry, parseFile } from './rows.ts';

export async function listFiles(
  database: MetadataDatabase,
  project: string,
  query: FilePageQuery,
): Promise<FilePage> {
  const { filter, from, limit } = query;
  const isCounted = filter.terms.length === 0 && filter.metadata.length === 0;
  const buckets = isCounted ? await readBuckets(database.reading, project, filter) : null;
  const start = findStart(from, buckets);
  const matching = selectMatching(database.reading, project, filter);
  const total = buckets?.reduce((sum, { files }) => sum + files, 0) ?? (await countRows(matching));
  let page = matching
    .select('found.position')
    .orderBy('found.position', 'desc')
    .limit(limit)
    .offset(start.offset);
  if (start.belowPosition !== null) page = page.where('found.position', '<', start.belowPosition);
  const positions = (await page.execute()).map(({ position }) => position);
  const rows = await readRows(database.reading, project, positions);
  return { files: rows.map(parseFile), positions: rows.map(({ position }) => position), total };
}

type Bucket = { bucket: number; files: number };

async function readBuckets(reading: Queries, project: string, { path, type }: FileFilter): Promise<Bucket[]> {
  let counts = reading
    .selectFrom('file_counts')
    .select(({ fn }) => ['bucket', fn.sum<number>('files').as('files')])
    .where('project', '=', project)
    .where('folder', '=', path);
  if (type !== null) counts = counts.where('type', '=', type);
  const rows = await counts.groupBy('bucket').orderBy('bucket', 'desc').execute();
  // PostgreSQL widens sums to a type that its driver doesn't parse as a number.
  return rows.map(({ bucket, files }) => ({ bucket, files: Number(files) }));
}

/** Skips whole buckets by their counts. */
function findStart(
  from: FilePageQuery['from'],
  buckets: readonly Bucket[] | null,
): { belowPosition: number | null; offset: number } {
  if ('belowPosition' in from) return { belowPosition: from.belowPosition, offset: 0 };
  let { offset } = from;
  let belowPosition: number | null = null;
  for (const { bucket, files } of buckets ?? []) {
    if (offset < files) break;
    offset -= files;
    belowPosition = bucket * bucketPositions;
  }
  return { belowPosition, offset };
}

async function countRows(matching: ReturnType<typeof selectMatching>): Promise<number> {
  const row = await matching.select(({ fn }) => fn.countAll<number>().as('files')).executeTakeFirstOrThrow();
  return Number(row.files);
}

/** Selects positions only, from the folder's range of the index. The file rows hold names; another table holds metadata. */
function selectMatching(reading: Queries, project: string, { path, type, terms, metadata }: FileFilter) {
  let query = reading
    .selectFrom('file_folders as found')
    .where('found.project', '=', project)
    .where('found.folder', '=', path);
  if (type !== null) query = query.where('found.type', '=', type);
  for (const { path: key, value } of metadata) {
    query = query.where('found.position', 'in', ({ selectFrom }) =>
      selectFrom('file_metadata')
        .select('position')
        .where('project', '=', project)
        .where('entry', '=', nameMetadataEntry(key, value)),
    );
  }
  if (terms.length === 0) return query;
  // Checks all terms in one pass over the index of names.
  return query.where('found.position', 'in', ({ selectFrom, and }) =>
    selectFrom('files')
      .select('position')
      .where('project', '=', project)
      .where(and(terms.map(containsTerm))),
  );
}

/** Treats `%` and `_` as plain characters. */
function containsTerm(term: string) {
  const pattern = `%${foldCase(term).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`filename_folded like ${pattern} escape '\\'`;
}

async function readRows(reading: Queries, project: string, positions: readonly number[]): Promise<FileRow[]> {
  if (positions.length === 0) return [];
  const query = reading.selectFrom('files').selectAll().where('project', '=', project);
  return query.where('position', 'in', positions).orderBy('position', 'desc').execute();
}

export async function listExpired(reading: Queries, query: ExpiredQuery): Promise<StoredFile[]> {
  const { project, type, path, exceptPaths, uploadedBefore, exemptToo, after, limit } = query;
  let rows = reading
    .selectFrom('files')
    .selectAll()
    .where('project', '=', project)
    .where('created_at', '<', uploadedBefore);
  if (!exemptToo) rows = rows.where('retention_exempt', '=', 0);
  if (type !== null) rows = rows.where('type', '=', type);
  if (path !== '') rows = rows.where(liesIn(path));
  for (const other of exceptPaths) rows = rows.where(({ not }) => not(liesIn(other)));
  if (after !== null) rows = rows.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
  return (await rows.orderBy('created_at').orderBy('id').limit(limit).execute()).map(parseFile);
}

/** Matches the folder and everything below it, by whole segments. */
function liesIn(folder: string) {
  return sql<boolean>`(path = ${folder} or substr(path, 1, ${[...folder].length + 1}) = ${`${folder}/`})`;
}
