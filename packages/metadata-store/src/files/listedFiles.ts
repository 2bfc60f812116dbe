/** Adds and removes the rows by which a file is listed and counted. */

import { bucketPositions } from '@tapedeck/file-index';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { FileRow, Queries } from '../schema.ts';
import { listFolders, listMetadataEntries } from './rows.ts';

type Listed = Pick<FileRow, 'project' | 'position' | 'type' | 'size_bytes' | 'path' | 'metadata'>;

/** Removes the file from its folders, their counts and the metadata index. */
export function composeUnlisting(queries: Queries, file: Listed): BatchQuery[] {
  return [
    ...listFolders(file.path).flatMap(folder => uncountFolder(queries, file, folder)),
    forget(queries, file),
  ];
}

/** Adds the file to its folders, their counts and the metadata index. */
export function composeListing(queries: Queries, file: Listed): BatchQuery[] {
  return [
    ...listFolders(file.path).flatMap(folder => enterFolder(queries, file, folder)),
    ...describe(queries, file),
  ];
}

/** Moves the listing from one path and metadata to another. */
export function composeRelisting(queries: Queries, before: Listed, after: Listed): BatchQuery[] {
  const [left, entered] = [listFolders(before.path), listFolders(after.path)];
  const isDescribedAnew = before.metadata !== after.metadata;
  return [
    ...left.filter(one => !entered.includes(one)).flatMap(folder => uncountFolder(queries, before, folder)),
    ...entered.filter(one => !left.includes(one)).flatMap(folder => enterFolder(queries, after, folder)),
    ...(isDescribedAnew ? [forget(queries, before), ...describe(queries, after)] : []),
  ];
}

function uncountFolder(
  queries: Queries,
  { project, position, type, size_bytes }: Listed,
  folder: string,
): BatchQuery[] {
  const counted = queries
    .updateTable('file_counts')
    .set({ files: sql<number>`files - 1`, bytes: sql<number>`bytes - ${size_bytes}` })
    .where('project', '=', project)
    .where('folder', '=', folder)
    .where('bucket', '=', Math.floor(position / bucketPositions))
    .where('type', '=', type);
  const listed = queries
    .deleteFrom('file_folders')
    .where('project', '=', project)
    .where('folder', '=', folder)
    .where('position', '=', position);
  return [{ query: listed }, { query: counted }];
}

function enterFolder(
  queries: Queries,
  { project, position, type, size_bytes }: Listed,
  folder: string,
): BatchQuery[] {
  const bucket = Math.floor(position / bucketPositions);
  const counted = queries
    .insertInto('file_counts')
    .values({ project, folder, bucket, type, files: 1, bytes: size_bytes })
    .onConflict(conflict =>
      conflict
        .columns(['project', 'folder', 'bucket', 'type'])
        .doUpdateSet({ files: sql`file_counts.files + 1`, bytes: sql`file_counts.bytes + excluded.bytes` }),
    );
  return [
    { query: queries.insertInto('file_folders').values({ project, folder, position, type }) },
    { query: counted },
  ];
}

function forget(queries: Queries, { project, position }: Listed): BatchQuery {
  const described = queries.deleteFrom('file_metadata').where('project', '=', project);
  return { query: described.where('position', '=', position) };
}

function describe(queries: Queries, { project, position, metadata }: Listed): BatchQuery[] {
  // Only `buildFileRow` writes this column, from such an object.
  const entries = listMetadataEntries(JSON.parse(metadata) as Record<string, unknown>);
  if (entries.length === 0) return [];
  const rows = entries.map(entry => ({ project, entry, position }));
  return [{ query: queries.insertInto('file_metadata').values(rows) }];
}

/** Tells searches that the file at this position has changed. Updates the usage row before all others. */
export function composeChange(
  queries: Queries,
  project: string,
  position: number,
): [usage: BatchQuery, change: BatchQuery] {
  const change = sql<number>`(select last_change from file_usage where project = ${project})`;
  return [
    {
      query: queries
        .updateTable('file_usage')
        .set({ last_change: sql`coalesce(last_change, 0) + 1` })
        .where('project', '=', project),
    },
    { query: queries.insertInto('file_changes').values({ project, change, position }) },
  ];
}

const changesKept = 100_000; // five times what a search follows

/** Prunes changes in every project. */
export async function pruneFileChanges(
  reading: Queries,
  remove: (compose: (queries: Queries) => BatchQuery['query']) => Promise<unknown>,
): Promise<void> {
  const rows = await reading.selectFrom('file_usage').select(['project', 'last_change']).execute();
  for (const { project, last_change } of rows) {
    if (last_change === null || last_change <= changesKept) continue;
    await remove(queries =>
      queries
        .deleteFrom('file_changes')
        .where('project', '=', project)
        .where('change', '<=', last_change - changesKept),
    );
  }
}
