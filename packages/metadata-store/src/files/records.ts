/** Finds and deletes file records with their counts, each in one transaction. */

import type { FileRecords, StoredFile } from '@tapedeck/domain/ports/files';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { newSortableId } from '@tapedeck/values/random-ids';
import { sql } from 'kysely';
import { composeEvent } from '../alerting/events.ts';
import { splitIntoChunks } from '../queryChunks.ts';
import type { FileRow, MetadataDatabase, Queries } from '../schema.ts';
import { fileRemovals } from '../tables/files.ts';
import { changeAsRead, findFileRow, isUnchanged } from './conditionalUpdates.ts';
import { composeDayRemoval, listFileDays } from './days.ts';
import { changePaths } from './folderMoves.ts';
import { listFileFolders, sumTypes } from './folders.ts';
import { openFileSearch } from './index/fileSearch.ts';
import { makeInsert } from './inserts.ts';
import { checkLists } from './listChecks.ts';
import { composeChange, composeUnlisting, pruneFileChanges } from './listedFiles.ts';
import { listExpired, listFiles } from './listing.ts';
import { parseFile, writeFileEvent } from './rows.ts';
import {
  findTrashed,
  listTrashed,
  parseTrashed,
  removeTrashedFile,
  restoreFile,
  trashFile,
} from './trash.ts';
import { relocateFile, updateFile } from './updates.ts';
import { buildUploadKeys } from './uploadKeys.ts';

export function buildFileRecords(database: MetadataDatabase, snapshotPlace: string | null): FileRecords {
  const { reading } = database;
  const { listByNames, ...searches } = openFileSearch(database, snapshotPlace);
  return {
    insert: makeInsert(database),
    ...buildUploadKeys(database),
    find: async (project, idOrKey) => {
      if (idOrKey.includes('\0')) return null; // no database can store such a text
      // Keys end in an extension; ids have no dot.
      const column = idOrKey.includes('.') ? 'key' : 'id';
      const query = reading.selectFrom('files').selectAll().where('project', '=', project);
      const row = await query.where(column, '=', idOrKey).executeTakeFirst();
      return row === undefined ? null : parseFile(row);
    },
    findMany: ids => findMany(reading, ids),
    list: async (project, query) =>
      (await listByNames(project, query)) ?? (await listFiles(database, project, query)),
    listFolders: (project, query) => listFileFolders(database, project, query),
    ...searches,
    update: (file, change) => updateFile(database, file, change),
    changePaths: (claim, changes) => changePaths(database, claim, changes),
    relocate: (file, blobSecret) => relocateFile(database, file, blobSecret),
    trash: (file, now) => trashFile(database, file, now),
    findTrashed: (project, idOrKey) => findTrashed(reading, project, idOrKey),
    restore: file => restoreFile(database, file),
    removeTrashed: (file, now) => removeTrashedFile(database, file, now),
    listTrashed: query => listTrashed(reading, query),
    pruneChanges: () =>
      pruneFileChanges(reading, compose => database.transactBatch(queries => [{ query: compose(queries) }])),
    remove: (file, now) => removeFile(database, file, now),
    listRemovals: async ({ after, limit }) => {
      let query = reading.selectFrom('file_removals').selectAll().orderBy('removed_at').orderBy('file_id');
      if (after !== null)
        query = query.where(sql<boolean>`(removed_at, file_id) > (${after.removedAt}, ${after.fileId})`);
      return (await query.limit(limit).execute()).map(fileRemovals.parse);
    },
    findRemovals: async fileIds => {
      const found: string[] = [];
      for (const some of splitIntoChunks(fileIds)) {
        const query = reading.selectFrom('file_removals').select('file_id').where('file_id', 'in', some);
        found.push(...(await query.execute()).map(row => row.file_id));
      }
      return found;
    },
    finishRemoval: async fileId => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('file_removals').where('file_id', '=', fileId) },
      ]);
    },
    listAll: query => listAll(reading, query),
    listExpired: query => listExpired(reading, query),
    checkLists: options => checkLists(database, options),
    usage: async project => {
      const query = reading.selectFrom('file_usage').select(['files', 'bytes']);
      return (await query.where('project', '=', project).executeTakeFirst()) ?? { files: 0, bytes: 0 };
    },
    usageByType: project => sumTypes(reading, project),
    usageByDay: (project, span) => listFileDays(reading, project, span),
  };
}

async function removeFile(database: MetadataDatabase, { id }: StoredFile, now: number): Promise<boolean> {
  const read = () => findFileRow(database.reading, id);
  const removed = await changeAsRead(read, row =>
    database.transactBatch(queries => composeRemoval(queries, row, now)),
  );
  return removed !== null;
}

function composeRemoval(queries: Queries, row: FileRow, now: number): BatchQuery[] {
  const { id, project, position } = row;
  const [usage, change] = composeChange(queries, project, position);
  const file = parseFile(row);
  const event = writeFileEvent('file.deleted', file, now);
  const removal = { ...fileRemovals.compose({ removedAt: now, file }), file_id: id };
  const counted = queries
    .updateTable('file_usage')
    .set({ files: sql<number>`files - 1`, bytes: sql<number>`bytes - ${row.size_bytes}` })
    .where('project', '=', project);
  return [
    usage,
    { query: counted },
    { query: queries.deleteFrom('files').where(isUnchanged(row)), rowsMin: 1 },
    ...composeUnlisting(queries, row),
    { query: composeDayRemoval(queries, row) },
    { query: queries.insertInto('file_removals').values(removal) },
    change,
    {
      query: composeEvent(queries, { type: 'file.deleted', project, id: newSortableId(now), at: now, event }),
    },
  ];
}

/** Finds files, including those in the trash. */
async function findMany(reading: Queries, ids: readonly string[]): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const some of splitIntoChunks(ids)) {
    const rows = await reading.selectFrom('files').selectAll().where('id', 'in', some).execute();
    const trashed = await reading.selectFrom('trashed_files').selectAll().where('id', 'in', some).execute();
    files.push(...rows.map(parseFile), ...trashed.map(row => parseTrashed(row).file));
  }
  return files;
}

/** Includes the trash. A file that moves there or back during the listing may appear twice. */
async function listAll(
  reading: Queries,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<StoredFile[]> {
  const files = reading.selectFrom('files').selectAll().where('id', '>', afterId);
  const trashed = reading.selectFrom('trashed_files').selectAll().where('id', '>', afterId);
  const found = [
    ...(await files.orderBy('id').limit(limit).execute()).map(parseFile),
    ...(await trashed.orderBy('id').limit(limit).execute()).map(row => parseTrashed(row).file),
  ];
  return found.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
}
