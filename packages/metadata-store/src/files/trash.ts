/** The trash keeps whole file rows where no other query finds them, and restores them unchanged. */

import type { FileRecords, StoredFile, TrashedFile } from '@tapedeck/domain/ports/files';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { newSortableId } from '@tapedeck/values/random-ids';
import { sql } from 'kysely';
import { composeEvent } from '../alerting/events.ts';
import type { FileRow, MetadataDatabase, Queries, TrashedFileRow } from '../schema.ts';
import { fileRemovals } from '../tables/files.ts';
import { changeAsRead, findFileRow, isUnchanged } from './conditionalUpdates.ts';
import { composeDayCount, composeDayRemoval } from './days.ts';
import { composeChange, composeListing, composeUnlisting } from './listedFiles.ts';
import { dayOf, parseFile, writeFileEvent } from './rows.ts';

export async function trashFile(
  database: MetadataDatabase,
  { id }: StoredFile,
  now: number,
): Promise<boolean> {
  const read = () => findFileRow(database.reading, id);
  const trashed = await changeAsRead(read, row =>
    database.transactBatch(queries => composeTrashing(queries, row, now)),
  );
  return trashed !== null;
}

function composeTrashing(queries: Queries, row: FileRow, now: number): BatchQuery[] {
  const { id, project, position, key, created_at } = row;
  const [usage, change] = composeChange(queries, project, position);
  const event = writeFileEvent('file.deleted', parseFile(row), now);
  const trashed = { id, project, position, key, created_at, trashed_at: now, row: JSON.stringify(row) };
  return [
    usage,
    { query: queries.deleteFrom('files').where(isUnchanged(row)), rowsMin: 1 },
    { query: queries.insertInto('trashed_files').values(trashed) },
    ...composeUnlisting(queries, row),
    { query: composeDayRemoval(queries, row) },
    composeTrashCount(queries, row, 1),
    change,
    {
      query: composeEvent(queries, { type: 'file.deleted', project, id: newSortableId(now), at: now, event }),
    },
  ];
}

export async function restoreFile(database: MetadataDatabase, { id }: StoredFile): Promise<boolean> {
  return await changeTrashed(database, id, composeRestoring);
}

function composeRestoring(queries: Queries, trashed: TrashedFileRow): BatchQuery[] {
  const row = parseRow(trashed);
  const { project, position, size_bytes: bytes } = row;
  const [usage, change] = composeChange(queries, project, position);
  return [
    usage,
    removeTrashed(queries, trashed),
    { query: queries.insertInto('files').values(row) },
    ...composeListing(queries, row),
    { query: composeDayCount(queries, { project, day: dayOf(row.created_at), bytes }) },
    composeTrashCount(queries, row, -1),
    change,
  ];
}

/** Removes the file without an event. The event came when the file went into the trash. */
export async function removeTrashedFile(
  database: MetadataDatabase,
  { id }: StoredFile,
  now: number,
): Promise<boolean> {
  return await changeTrashed(database, id, (queries, trashed) => {
    const row = parseRow(trashed);
    const { project, size_bytes: bytes } = row;
    const removal = { ...fileRemovals.compose({ removedAt: now, file: parseFile(row) }), file_id: id };
    return [
      {
        query: queries
          .updateTable('file_usage')
          .set({ files: sql<number>`files - 1`, bytes: sql<number>`bytes - ${bytes}` })
          .where('project', '=', project),
      },
      removeTrashed(queries, trashed),
      composeTrashCount(queries, row, -1),
      { query: queries.insertInto('file_removals').values(removal) },
    ];
  });
}

/** Touches no row if the bytes of the file have moved since. */
function removeTrashed(queries: Queries, { id, row }: TrashedFileRow): BatchQuery {
  return {
    query: queries.deleteFrom('trashed_files').where('id', '=', id).where('row', '=', row),
    rowsMin: 1,
  };
}

function composeTrashCount(queries: Queries, { project, size_bytes }: FileRow, sign: 1 | -1): BatchQuery {
  return {
    query: queries
      .updateTable('file_usage')
      .set({
        trashed_files: sql`coalesce(trashed_files, 0) + ${sql.lit(sign)}`,
        trashed_bytes: sql`coalesce(trashed_bytes, 0) + ${sign * size_bytes}`,
      })
      .where('project', '=', project),
  };
}

/** Returns false if the file is not in the trash. */
async function changeTrashed(
  database: MetadataDatabase,
  id: string,
  compose: (queries: Queries, trashed: TrashedFileRow) => BatchQuery[],
): Promise<boolean> {
  const read = () => findRow(database.reading, id);
  const changed = await changeAsRead(read, trashed =>
    database.transactBatch(queries => compose(queries, trashed)),
  );
  return changed !== null;
}

function findRow(reading: Queries, id: string): Promise<TrashedFileRow | undefined> {
  return reading.selectFrom('trashed_files').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Columns that an earlier version didn't know are empty. */
export function parseRow({ row }: Pick<TrashedFileRow, 'row'>): FileRow {
  // Only `composeTrashing` writes this column, from such a row.
  return JSON.parse(row) as FileRow;
}

export function parseTrashed(trashed: TrashedFileRow): TrashedFile {
  return { file: parseFile(parseRow(trashed)), trashedAt: trashed.trashed_at };
}

export async function findTrashed(
  reading: Queries,
  project: string,
  idOrKey: string,
): Promise<TrashedFile | null> {
  if (idOrKey.includes('\0')) return null; // no database can store such a text
  // Keys end in an extension; ids have no dot.
  const column = idOrKey.includes('.') ? 'key' : 'id';
  const query = reading.selectFrom('trashed_files').selectAll().where('project', '=', project);
  const row = await query.where(column, '=', idOrKey).executeTakeFirst();
  return row === undefined ? null : parseTrashed(row);
}

export async function listTrashed(
  reading: Queries,
  { project, order, before, after, limit }: Parameters<FileRecords['listTrashed']>[0],
): Promise<TrashedFile[]> {
  const time = order === 'trashedAt' ? 'trashed_at' : 'created_at';
  let query = reading
    .selectFrom('trashed_files')
    .selectAll()
    .where('project', '=', project)
    .where(time, '<', before);
  if (after !== null) query = query.where(sql<boolean>`(${sql.ref(time)}, id) > (${after.at}, ${after.id})`);
  return (await query.orderBy(time).orderBy('id').limit(limit).execute()).map(parseTrashed);
}

const rowsPerRead = 1000; // one message between threads

/** Reads all rows of a project's trash, by position. */
export async function* readTrashedRows(reading: Queries, project: string): AsyncGenerator<TrashedFileRow> {
  let after = -1;
  for (;;) {
    const query = reading.selectFrom('trashed_files').selectAll().where('project', '=', project);
    const rows = await query.where('position', '>', after).orderBy('position').limit(rowsPerRead).execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerRead) return;
    after = last.position;
  }
}
