/** Moves many files of a project to other folders in one transaction: a few statements per folder, however many files it has. */

import { bucketPositions } from '@tapedeck/file-index';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { FileRow, Queries } from '../schema.ts';
import { listFolders } from './rows.ts';

export type PathChange = { row: FileRow; path: string };

type Counted = { bucket: number; type: FileRow['type']; files: number; bytes: number };

/** Refused if a file is no longer in its folder. Updates the usage row before all others, like every change of files. */
export function composePathChanges(
  queries: Queries,
  project: string,
  changes: readonly PathChange[],
): BatchQuery[] {
  const left = groupByFolder(changes, ({ row, path }) => listOthers(row.path, path));
  const entered = groupByFolder(changes, ({ row, path }) => listOthers(path, row.path));
  return [
    {
      query: queries
        .updateTable('file_usage')
        .set({ last_change: sql`coalesce(last_change, 0) + ${changes.length}` })
        .where('project', '=', project),
    },
    ...composeUpdates(queries, changes),
    ...[...left].flatMap(([folder, rows]) => leave(queries, { project, folder, rows })),
    ...[...entered].flatMap(([folder, rows]) => enter(queries, { project, folder, rows })),
    composeNotes(queries, project, changes),
  ];
}

function composeUpdates(queries: Queries, changes: readonly PathChange[]): BatchQuery[] {
  const groups = Map.groupBy(changes, ({ row, path }) => `${row.path}\0${path}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    const ids = group.map(({ row }) => row.id);
    const update = queries.updateTable('files').set({ path: first.path }).where('id', 'in', ids);
    return [{ query: update.where('path', '=', first.row.path), rowsMin: ids.length }];
  });
}

/** Lists the folders of `path` that don't hold `other`. */
function listOthers(path: string, other: string): string[] {
  const known = new Set(listFolders(other));
  return listFolders(path).filter(folder => !known.has(folder));
}

function groupByFolder(
  changes: readonly PathChange[],
  list: (change: PathChange) => readonly string[],
): Map<string, FileRow[]> {
  const groups = new Map<string, FileRow[]>();
  for (const change of changes)
    for (const folder of list(change)) {
      const rows = groups.get(folder);
      if (rows === undefined) groups.set(folder, [change.row]);
      else rows.push(change.row);
    }
  return groups;
}

type Group = { project: string; folder: string; rows: readonly FileRow[] };

function countByBucket(rows: readonly FileRow[]): Counted[] {
  const counts = new Map<string, Counted>();
  for (const { position, type, size_bytes } of rows) {
    const bucket = Math.floor(position / bucketPositions);
    const known = counts.get(`${bucket} ${type}`) ?? { bucket, type, files: 0, bytes: 0 };
    counts.set(`${bucket} ${type}`, {
      ...known,
      files: known.files + 1,
      bytes: known.bytes + size_bytes,
    });
  }
  return [...counts.values()];
}

function leave(queries: Queries, { project, folder, rows }: Group): BatchQuery[] {
  const positions = rows.map(({ position }) => position);
  const listed = queries.deleteFrom('file_folders').where('project', '=', project);
  return [
    { query: listed.where('folder', '=', folder).where('position', 'in', positions) },
    ...countByBucket(rows).map(({ bucket, type, files, bytes }) => ({
      query: queries
        .updateTable('file_counts')
        .set({ files: sql<number>`files - ${files}`, bytes: sql<number>`bytes - ${bytes}` })
        .where('project', '=', project)
        .where('folder', '=', folder)
        .where('bucket', '=', bucket)
        .where('type', '=', type),
    })),
  ];
}

function enter(queries: Queries, { project, folder, rows }: Group): BatchQuery[] {
  const listed = rows.map(({ position, type }) => ({ project, folder, position, type }));
  const counts = countByBucket(rows).map(count => ({ project, folder, ...count }));
  const counted = queries.insertInto('file_counts').values(counts);
  return [
    { query: queries.insertInto('file_folders').values(listed) },
    {
      query: counted.onConflict(conflict =>
        conflict.columns(['project', 'folder', 'bucket', 'type']).doUpdateSet({
          files: sql`file_counts.files + excluded.files`,
          bytes: sql`file_counts.bytes + excluded.bytes`,
        }),
      ),
    },
  ];
}

/** Tells searches which files have changed. */
function composeNotes(queries: Queries, project: string, changes: readonly PathChange[]): BatchQuery {
  const last = sql<number>`(select last_change from file_usage where project = ${project})`;
  const rows = changes.map(({ row: { position } }, index) => ({
    project,
    position,
    change: sql<number>`${last} - ${sql.lit(index)}`,
  }));
  return { query: queries.insertInto('file_changes').values(rows) };
}
