/** Stores folder moves as rows, and changes their files' paths. */

import { clockErrorMsMax } from '@tapedeck/domain/operations/leases';
import type { FileRecords } from '@tapedeck/domain/ports/files';
import type { FolderMoveRecords, MoveClaim } from '@tapedeck/domain/ports/folderMoves';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';
import { folderMoves } from '../tables/files.ts';
import { isRefusal } from './inserts.ts';
import { composePathChanges, type PathChange } from './pathChanges.ts';

export function buildFolderMoveRecords(queries: Queries): FolderMoveRecords {
  return {
    insert: async move => {
      await queries.insertInto('folder_moves').values(folderMoves.compose(move)).execute();
    },
    find: async id => {
      const query = queries.selectFrom('folder_moves').selectAll().where('id', '=', id);
      return folderMoves.parseFound(await query.executeTakeFirst());
    },
    list: async project => {
      const query = queries.selectFrom('folder_moves').selectAll().where('project', '=', project);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(folderMoves.parse);
    },
    listDue: async (now, limit) => {
      const query = queries.selectFrom('folder_moves').selectAll().where('ended_at', 'is', null);
      const free = query.where(is =>
        is.or([is('held_until', '<=', now), is('held_until', '>', now + 2 * clockErrorMsMax)]),
      );
      const due = free.orderBy('created_at').orderBy('id').limit(limit);
      return (await due.execute()).map(folderMoves.parse);
    },
    claim: async ({ id, holder, heldUntil }, now) => {
      const query = queries.updateTable('folder_moves').set({ holder, held_until: heldUntil });
      const open = query.where('id', '=', id).where('ended_at', 'is', null);
      const free = open.where(is =>
        is.or([is('held_until', '<=', now), is('held_until', '>', heldUntil + clockErrorMsMax)]),
      );
      const [claimed] = await free.execute();
      return claimed?.numUpdatedRows === 1n;
    },
    change: async ({ id, holder }, changes) => {
      const { failed, reasons, tries, heldUntil: held_until, endedAt: ended_at } = changes;
      const query = queries.updateTable('folder_moves').set({
        ...(failed !== undefined && { failed }),
        ...(reasons !== undefined && { reasons: JSON.stringify(reasons) }),
        ...(tries !== undefined && { tries }),
        ...(changes.holder !== undefined && { holder: changes.holder }),
        ...(held_until !== undefined && { held_until }),
        ...(ended_at !== undefined && { ended_at }),
      });
      const claimed = query.where('id', '=', id).where('holder', '=', holder).where('ended_at', 'is', null);
      const [changed] = await claimed.execute();
      return changed?.numUpdatedRows === 1n;
    },
    end: async (id, { endedAt, reason }) => {
      const query = queries
        .updateTable('folder_moves')
        .set({ ended_at: endedAt, reasons: JSON.stringify([reason]) });
      await query.where('id', '=', id).where('ended_at', 'is', null).execute();
    },
    markTold: async id => {
      await queries.updateTable('folder_moves').set({ told: 1 }).where('id', '=', id).execute();
    },
    forgetEnded: async before => {
      await queries.deleteFrom('folder_moves').where('ended_at', '<', before).execute();
    },
  };
}

/** Changes files and the move's row in one transaction. So a process that lost the move changes nothing more, and each file counts once. */
export async function changePaths(
  database: MetadataDatabase,
  claim: MoveClaim,
  changes: Parameters<FileRecords['changePaths']>[1],
): Promise<boolean> {
  const [first] = changes;
  if (first === undefined) return true;
  const ids = changes.map(({ file }) => file.id);
  const query = database.reading.selectFrom('files').selectAll().where('id', 'in', ids);
  const rows = new Map((await query.execute()).map(row => [row.id, row]));
  const known = changes.flatMap(({ file, path }): PathChange[] => {
    const row = rows.get(file.id);
    return row?.path === file.path ? [{ row, path }] : [];
  });
  if (known.length < changes.length) return false;
  try {
    await database.transactBatch(queries => [
      ...composePathChanges(queries, first.file.project, known),
      composeCount(queries, claim, known.length),
    ]);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function composeCount(queries: Queries, { id, holder }: MoveClaim, files: number): BatchQuery {
  const query = queries.updateTable('folder_moves').set({ moved: sql`moved + ${files}` });
  const claimed = query.where('id', '=', id).where('holder', '=', holder).where('ended_at', 'is', null);
  return { query: claimed, rowsMin: 1 };
}
